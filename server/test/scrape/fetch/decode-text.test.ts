import { expect, test } from 'vitest'
import { decodeText } from '../../../src/scrape/fetch/decode-text.ts'
import { encode, texts } from './encode.ts'

function page(text: string): string {
  return `<!doctype html><title>${text.slice(0, 20)}</title><style>body{margin:0}</style><script>var a=1<2</script>
   <nav><a href="/home">Home</a> <a href="/about">About us</a></nav><main><p class="intro">${text}</p></main>`
}

test.each([
  ['russian', 'windows-1251'],
  ['russian', 'koi8-r'],
  ['russian', 'iso-8859-5'],
  ['russian', 'ibm866'],
  ['ukrainian', 'windows-1251'],
  ['ukrainian', 'koi8-u'],
  ['bulgarian', 'windows-1251'],
  ['japanese', 'shift_jis'],
  ['japanese', 'euc-jp'],
  ['korean', 'euc-kr'],
  ['chinese', 'gbk'],
  ['taiwanese', 'big5'],
  ['greek', 'windows-1253'],
  ['greek', 'iso-8859-7'],
  ['hebrew', 'windows-1255'],
  ['arabic', 'windows-1256'],
  ['thai', 'windows-874'],
  ['polish', 'iso-8859-2'],
  ['polish', 'windows-1250'],
  ['czech', 'windows-1250'],
  ['turkish', 'windows-1254'],
] as const)('a page in %s without a declared encoding is decoded as %s', (language, encoding) => {
  for (const html of [`<p>${texts[language]}</p>`, page(texts[language]), page(texts[language].repeat(300))]) {
    expect(decodeText(encode(html, encoding), 'text/html')).toBe(html)
  }
})

test.each([
  ['polish', 'windows-1250'],
  ['polish', 'iso-8859-2'],
  ['czech', 'windows-1250'],
  ['russian', 'ibm866'],
  ['greek', 'windows-1253'],
] as const)('a page in English with a paragraph in %s is decoded as %s', (language, encoding) => {
  const english = '<p>The harbour was quiet, and boats lay close to the wall. Behind it stood the lighthouse.</p>'
  for (const html of [`${english}<p>${texts[language]}</p>`, `<ul><li>${texts[language]}</ul>${english.repeat(5)}`]) {
    expect(decodeText(encode(html, encoding), 'text/html')).toBe(html)
  }
})

test.each([
  ['russian', 'windows-1251'],
  ['japanese', 'shift_jis'],
  ['polish', 'windows-1250'],
] as const)('a page with %s in attributes only is decoded as %s', (language, encoding) => {
  const html = `<meta name="description" content="${texts[language]}"><p>The harbour was quiet.</p>`

  expect(decodeText(encode(html, encoding), 'text/html')).toBe(html)
})

test.each([
  'naïve café',
  'It’s a nice day – really',
  'Price: £20 or €25 at 20° C',
  '© 2024 Smith & Co.® All rights reserved™',
  '¿Qué? ¡Señor! Mañana por la mañana.',
  'Coração, ação, não, avião, São João',
  'ÆØÅ på Ærø, Ørsted',
  'À L’ÉTÉ, LA FÊTE DE NOËL À ÉVREUX',
  'Schöne Grüße, Müller wünscht große Fahrt über Äcker',
  'créée, aménagée, œuvre, où ça',
  'one\u00a0\u00a0\u00a0\u00a0two\u00a0\u00a0three',
  '• one •• two ••• three «four» … “five”',
  '½ ¼ ¾ ±± ×× ÷÷ §§',
  'È più di cent’anni. Perché? Così è la città.',
])('a page in windows-1252 is decoded as such: %s', (text) => {
  for (const html of [
    `<p>${text}</p>`,
    page(text),
    page(`${text} ${'The harbour was quiet, and boats lay close. '.repeat(50)}`),
  ]) {
    expect(decodeText(encode(html, 'windows-1252'), 'text/html')).toBe(html)
  }
})

test.each(Object.keys(texts) as (keyof typeof texts)[])(
  'a page in UTF-8 is decoded as such even if it is truncated or has an invalid byte: %s',
  (language) => {
    const bytes = Buffer.from(page(texts[language]))
    const cut = bytes.subarray(0, bytes.lastIndexOf(Buffer.from(texts[language].match(/[^\0-\x7f]/g)!.at(-1)!)) + 1)
    const broken = Buffer.concat([Buffer.from('<p>\xe9</p>', 'latin1'), bytes])

    expect(decodeText(bytes, undefined)).toBe(page(texts[language]))
    for (const damaged of [cut, broken]) expect(decodeText(damaged, undefined)).toContain(texts[language].slice(0, 10))
  },
)

test('bytes crafted to slow down detection are decoded quickly', () => {
  const startedMs = performance.now()
  for (const part of ['<', '<script', '&amp', '\xe4<', 'a\xe4 ', '<style></style'])
    decodeText(Buffer.from(part.repeat(400_000), 'latin1'), 'text/html; charset=')
  // A page in another script whose last word does not end.
  decodeText(
    Buffer.from(`\xcf\xf0\xe8\xe2\xe5\xf2\xcf\xf0\xe8\xe2\xe5\xf2 ${'A'.repeat(50_000)}`, 'latin1'),
    'text/html',
  )

  expect(performance.now() - startedMs).toBeLessThan(5000)
})
