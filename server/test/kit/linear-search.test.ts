import { expect, test } from 'vitest'
import { LinearSearch, overlapOf } from '../../src/kit/linear-search.ts'

test.each([
  ['', '', 0],
  ['abc', '', 0],
  ['xxabc', 'abcde', 3],
  ['abc', 'abc', 3],
  ['abab', 'ababab', 4],
  ['aab', 'aaa', 0],
  ['aaaa', 'aaab', 3],
  ['abcabx', 'abcabc', 0],
])('the end of %j and the start of %j share %i characters', (before, after, length) => {
  expect(overlapOf(before, after)).toBe(length)
})

test('texts of two letters share as much as a search finds', () => {
  const texts = Array.from({ length: 256 }, (_, bits) => bits.toString(2).padStart(8, '0'))

  for (const before of texts) {
    for (const after of texts) {
      const found = [8, 7, 6, 5, 4, 3, 2, 1, 0].find((length) => before.endsWith(after.slice(0, length)))
      if (overlapOf(before, after) !== found) expect.fail(`${before} ${after}`)
    }
  }
})

test.each([1, 2, 3, 50])('a pattern of %i repetitions is found where indexOf finds it', (count) => {
  const pattern = 'aab'.repeat(count)
  const texts = [
    `x${pattern}`,
    `aa${pattern}${pattern}`,
    `${'aab'.repeat(count - 1)}aac`,
    `${pattern.slice(1)}a${pattern}`,
  ]

  for (const text of texts) {
    for (const from of [0, 1, 2, 3, text.length]) {
      expect(new LinearSearch(pattern).indexIn(text, from), `${text} ${from}`).toBe(text.indexOf(pattern, from))
    }
  }
})
