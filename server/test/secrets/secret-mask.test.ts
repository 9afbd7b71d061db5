import { expect, test } from 'vitest'
import { SecretMask } from '../../src/secrets/secret-mask.ts'

const value = `p"a<s>s & w%rd`

function maskOf(secrets: Readonly<Record<string, string>>): SecretMask {
  const mask = new SecretMask()
  for (const [name, text] of Object.entries(secrets)) mask.add(name, text)
  return mask
}

test.each([
  ['text', value],
  ['JSON', JSON.stringify(value).slice(1, -1)],
  ['JSON in JSON', JSON.stringify(JSON.stringify(value)).slice(3, -3)],
  ['a URL', encodeURIComponent(value)],
  ['a form', new URLSearchParams({ value }).toString().slice(6)],
  ['HTML', 'p&quot;a&lt;s&gt;s &amp; w%rd'],
  ['HTML text', 'p"a&lt;s&gt;s &amp; w%rd'],
  ['a snapshot', `p'a<s>s & w%rd`],
])('masks a value in %s', (_where, text) => {
  expect(maskOf({ PASSWORD: value }).apply(`before ${text} after`)).toBe('before <secret>PASSWORD</secret> after')
})

test('masks the longest of values that contain each other', () => {
  expect(maskOf({ A: 'word', B: 'password' }).apply('password word')).toBe('<secret>B</secret> <secret>A</secret>')
})

test('masks the start of a value where a text was cut, and no shorter one', () => {
  const mask = maskOf({ TOKEN: 'abcdefghijklmnop' })

  expect(mask.apply('url abcdefgh… more abcd…')).toBe('url <secret>TOKEN</secret>… more abcd…')
  expect(mask.apply('x abcdefghijk\nabcdef')).toBe('x <secret>TOKEN</secret>\n<secret>TOKEN</secret>')
  expect(mask.apply('abcdefgh and on')).toBe('abcdefgh and on')
})

test('masks the end of a value behind a mark of omission, and no shorter one', () => {
  const mask = maskOf({ TOKEN: 'abcdefghijklmnop' })

  expect(mask.apply('{token: abcdefg…hijklmnop, id: 1}')).toBe(
    '{token: <secret>TOKEN</secret>…<secret>TOKEN</secret>, id: 1}',
  )
  expect(mask.apply('…mnop and …ijklmnop\n…klmnop')).toBe('…mnop and …<secret>TOKEN</secret>\n…<secret>TOKEN</secret>')
  expect(mask.apply('hijklmnop')).toBe('hijklmnop')
})

test('masks all texts of JSON, and leaves objects of classes alone', () => {
  const bytes = Buffer.from('secret-value')

  expect(maskOf({ A: 'secret-value' }).applyToJson({ list: ['a secret-value', 1, null], bytes })).toEqual({
    list: ['a <secret>A</secret>', 1, null],
    bytes,
  })
})
