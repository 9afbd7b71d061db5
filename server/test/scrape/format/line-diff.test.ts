import { expect, test } from 'vitest'
import { gitDiff } from '../../../src/scrape/format/git-diff.ts'
import { diffLines, type DiffRun } from '../../../src/scrape/format/line-diff.ts'

function side(runs: readonly DiffRun[], other: DiffRun['kind']): readonly string[] {
  return runs.filter(({ kind }) => kind !== other).flatMap(({ lines }) => lines)
}

function many(count: number, salt: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${salt} ${(index * 7919) % 1009}`)
}

test.each([
  ['nothing to something', [], ['a']],
  ['something to nothing', ['a', 'b'], []],
  ['a line in the middle', ['a', 'b', 'c'], ['a', 'x', 'c']],
  ['lines that moved', ['a', 'b', 'c', 'd'], ['c', 'd', 'a', 'b']],
  ['lines that repeat', ['a', 'a', 'b', 'a'], ['a', 'b', 'a', 'a']],
  ['20,000 lines that all differ', many(20_000, 'old'), many(20_000, 'new')],
  [
    'more lines than are compared, with common ends',
    ['a', ...many(205_000, 'old'), 'z'],
    ['a', ...many(205_000, 'new'), 'z'],
  ],
])('%s: both texts can be restored from the difference', (_, before, after) => {
  const runs = diffLines(before, after)

  expect(side(runs, 'add')).toEqual(before)
  expect(side(runs, 'del')).toEqual(after)
})

test('texts that take too long to compare are reported as replaced completely', () => {
  const stretches = (salt: string): readonly string[] =>
    Array.from({ length: 600 }, (_, index) => [`anchor ${index}`, ...many(50, salt), 'end']).flat()

  let isCoarse = false
  const runs = diffLines(stretches('old'), stretches('new'), () => {
    isCoarse = true
  })

  // In compared sections, the line before the next anchor is found on both sides.
  expect(runs.filter(({ kind, lines }) => kind === 'same' && lines.includes('end')).length).toBeLessThan(500)
  expect(side(runs, 'add')).toEqual(stretches('old'))
  expect(isCoarse).toBe(true)
})

test('a coarse difference has a warning, an exact one has none', () => {
  const text = (salt: string): string => many(205_000, salt).join('\n')

  expect(gitDiff(text('old'), text('new')).warning).toContain('too many lines')
  expect(gitDiff('a\nb', 'a\nc').warning).toBeUndefined()
})

test('texts with millions of lines are not compared, and a warning says so', () => {
  const diff = gitDiff('a\n'.repeat(1_000_000), 'b\n')

  expect(diff).toMatchObject({ text: '', json: { files: [] }, warning: expect.stringContaining('1,000,000 lines') })
})

test('equal texts have no difference', () => {
  expect(gitDiff('a\nb\n', 'a\nb\n')).toEqual({ text: '', json: { files: [] } })
})

test('distant changes are in separate hunks with three lines of context', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`)
  const after = lines.with(1, 'second').with(17, 'eighteenth')

  const { text } = gitDiff(lines.join('\n'), after.join('\n'))

  expect(text).toBe(
    [
      '--- previous',
      '+++ current',
      '@@ -1,5 +1,5 @@',
      ' line 1',
      '-line 2',
      '+second',
      ' line 3',
      ' line 4',
      ' line 5',
      '@@ -15,6 +15,6 @@',
      ' line 15',
      ' line 16',
      ' line 17',
      '-line 18',
      '+eighteenth',
      ' line 19',
      ' line 20',
      '',
    ].join('\n'),
  )
})
