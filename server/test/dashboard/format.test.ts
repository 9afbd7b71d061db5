import { expect, test } from 'vitest'
import { formatDuration } from '../../dashboard/components/format.ts'

test.each([
  [0, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1 s'],
  [5000, '5 s'],
  [5930, '5.9 s'],
  [59_940, '59.9 s'],
  [59_960, '1 min'],
  [125_600, '2 min 6 s'],
  [3_580_000, '59 min 40 s'],
  [3_599_900, '1 h'],
  [86_380_000, '1 d'],
  [5_400_000, '1 h 30 min'],
  [172_800_000, '2 d'],
  [90_000_000, '1 d 1 h'],
])('a duration of %i ms is shown rounded, as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text)
})
