import { expect, test } from 'vitest'
import { PatternAutomaton } from '../../src/kit/pattern-automaton.ts'

const texts = Array.from({ length: 1024 }, (_, bits) => bits.toString(2).padStart(10, '0'))

test.each([
  [['0']],
  [['01', '10', '1010', '0000']],
  [['0101', '101', '00', '0010', '1']],
  [['000000', '00000', '0001', '10001']],
])('finds the patterns %j where a search finds them, in both directions', (patterns) => {
  const byLength = patterns.toSorted((left, right) => right.length - left.length)
  const forwards = new PatternAutomaton(patterns, 'forwards')
  const backwards = new PatternAutomaton(patterns, 'backwards')

  for (const text of texts) {
    let [ahead, back] = [0, 0]
    for (let index = 0; index < text.length; index++) {
      ahead = forwards.next(ahead, text.charCodeAt(index))
      back = backwards.next(back, text.charCodeAt(text.length - 1 - index))
      const read = text.slice(0, index + 1)
      const rest = text.slice(text.length - 1 - index)
      expect([patterns[forwards.matchOf(ahead)], patterns[backwards.matchOf(back)]]).toEqual([
        byLength.find((pattern) => read.endsWith(pattern)),
        byLength.find((pattern) => rest.startsWith(pattern)),
      ])
      expect([forwards.depthOf(ahead), backwards.depthOf(back)]).toEqual([
        longest((length) =>
          patterns.some((pattern) => pattern.length >= length && read.endsWith(pattern.slice(0, length))),
        ),
        longest((length) =>
          patterns.some(
            (pattern) => pattern.length >= length && rest.startsWith(pattern.slice(pattern.length - length)),
          ),
        ),
      ])
      const owner = patterns[forwards.ownerOf(ahead)] ?? ''
      expect(read.endsWith(owner.slice(0, forwards.depthOf(ahead)))).toBe(true)
    }
  }
})

function longest(fits: (length: number) => boolean): number | undefined {
  return [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0].find(fits)
}
