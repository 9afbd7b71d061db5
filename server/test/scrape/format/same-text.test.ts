import { expect, test } from 'vitest'
import { isSameText } from '../../../src/scrape/format/same-text.ts'

test.each([
  ['', '', true],
  ['a b', 'a b', true],
  ['a  b', 'a\n\tb', true],
  [' a b\n', 'a b', true],
  ['a b', ' a b \u00a0\u3000', true],
  ['\n', '', true],
  ['a b', 'ab', false],
  ['ab', 'a b', false],
  ['a b', 'a c', false],
  ['a b', 'a b c', false],
  ['a', '', false],
  ['a b ', 'a bc', false],
  ['é', 'e', false],
])('%j and %j are the same text: %s', (left, right, isSame) => {
  expect(isSameText(left, right)).toBe(isSame)
  expect(isSameText(right, left)).toBe(isSame)
})

test('texts are the same exactly if they are equal with collapsed white space', () => {
  const letters = ['a', 'b', ' ', '\n', '\u2003']
  const texts = Array.from({ length: 3125 }, (_, seed) =>
    Array.from({ length: 5 }, (__, at) => letters[Math.floor(seed / 5 ** at) % 5]).join(''),
  )
  const collapsed = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
  for (const [index, left] of texts.entries()) {
    const right = texts[(index * 1231) % texts.length] ?? ''
    expect(isSameText(left, right), JSON.stringify([left, right])).toBe(collapsed(left) === collapsed(right))
  }
})
