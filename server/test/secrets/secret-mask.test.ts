import { expect, test, vi } from 'vitest'
import { PatternAutomaton } from '../../src/kit/pattern-automaton.ts'
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

test('masks the end of a value behind an ellipsis, and no shorter one', () => {
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

test('masks the parts of values on both sides of an ellipsis, line by line', () => {
  const mask = maskOf({ A: 'abcdefghijklmnop', B: 'klmnopqrstuvwx' })

  expect(mask.apply('…klmnop\nabcdefgh\nx…stuvwxabcdef')).toBe(
    '…<secret>A</secret>\n<secret>A</secret>\nx…<secret>B</secret><secret>A</secret>',
  )
})

test.each([
  ['spaces', ' '.repeat(5000)],
  ['short lines', 'abc\n'.repeat(1250)],
  ['ellipses', '…'.repeat(5000)],
  ['starts of values', 'xyz" <&xyz" <x'.repeat(360)],
  ['one repeated character', 'x'.repeat(5000)],
])('takes work in proportion to the text, whatever the number and length of values: %s', (_name, text) => {
  const one = maskOf({ A: 'xyz" <&' })
  const many = maskOf(
    Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`S${index}`, `${index}x`.repeat(40 + index)])),
  )

  expect(charactersRead(many, text)).toBeLessThan(2 * charactersRead(one, text))
  expect(charactersRead(many, text)).toBeLessThan(4 * text.length)
  expect(charactersRead(many, text + text)).toBeLessThan(2.1 * charactersRead(many, text))
})

/** Counts the characters that are read while a text is masked. */
function charactersRead(mask: SecretMask, text: string): number {
  // Builds the search.
  mask.apply('x')
  const reads = vi.spyOn(PatternAutomaton.prototype, 'next')
  mask.apply(text)
  const { length } = reads.mock.calls
  reads.mockRestore()
  return length
}

test('other work gets turns while a long text is masked', async () => {
  const mask = maskOf({ A: 'secret-value' })
  const text = `${'x'.repeat(400_000)} secret-value`
  let turns = 0
  const count = (): void => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)

  expect(await mask.applyInTurns(text)).toBe(mask.apply(text))

  clearImmediate(timer)
  expect(turns).toBeGreaterThan(9)
})

test('refuses values that are too long to be masked together, and still masks the others', () => {
  const mask = maskOf({ A: 'secret-value' })
  const add = (): void => {
    for (let index = 0; index < 10; index++) mask.add(`LONG${index}`, `${index}"& `.repeat(2000))
  }

  expect(add).toThrow(expect.objectContaining({ code: 'SECRET_REFUSED' }))
  expect(mask.apply('secret-value')).toBe('<secret>A</secret>')
})
