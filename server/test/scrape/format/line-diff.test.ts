import { expect, test } from 'vitest'
import { BowlineError } from 'bowline/kit/errors'
import { compareTexts, gitDiff } from '../../../src/scrape/format/git-diff.ts'
import { compareLines, runsOf, type DiffRun } from '../../../src/scrape/format/line-diff.ts'

function side(runs: readonly DiffRun[], other: DiffRun['kind']): readonly string[] {
  return runs.filter(({ kind }) => kind !== other).flatMap(({ lines }) => lines)
}

function many(count: number, salt: string): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${salt} ${(index * 7919) % 1009}`)
}

async function diffHere(before: string, after: string) {
  return gitDiff(before, after, async () => compareTexts(before, after))
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
  const runs = runsOf(compareLines(before, after), before, after)

  expect(side(runs, 'add')).toEqual(before)
  expect(side(runs, 'del')).toEqual(after)
})

test('texts that take too long to compare are reported as replaced completely', () => {
  const stretches = (salt: string): readonly string[] =>
    Array.from({ length: 600 }, (_, index) => [`anchor ${index}`, ...many(50, salt), 'end']).flat()

  const diff = compareLines(stretches('old'), stretches('new'))
  const runs = runsOf(diff, stretches('old'), stretches('new'))

  // In compared sections, the line before the next anchor is found on both sides.
  expect(runs.filter(({ kind, lines }) => kind === 'same' && lines.includes('end')).length).toBeLessThan(500)
  expect(side(runs, 'add')).toEqual(stretches('old'))
  expect(diff.isCoarse).toBe(true)
})

test('a coarse difference has a warning, an exact one has none', async () => {
  const text = (salt: string): string => many(205_000, salt).join('\n')

  expect((await diffHere(text('old'), text('new'))).warning).toContain('too many lines')
  expect((await diffHere('a\nb', 'a\nc')).warning).toBeUndefined()
})

test('texts with millions of lines are not compared, and a warning says so', async () => {
  const diff = await diffHere('a\n'.repeat(1_000_000), 'b\n')

  expect(diff).toMatchObject({ text: '', json: { files: [] }, warning: expect.stringContaining('1,000,000 lines') })
})

test('equal texts have no difference', async () => {
  expect(await diffHere('a\nb\n', 'a\nb\n')).toEqual({ text: '', json: { files: [] } })
})

test('distant changes are in separate hunks with three lines of context', async () => {
  const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`)
  const after = lines.with(1, 'second').with(17, 'eighteenth')

  const { text } = await diffHere(lines.join('\n'), after.join('\n'))

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

test('long texts are compared elsewhere, short ones at once', async () => {
  const compared: string[] = []
  const compareLongTexts = async (before: string, after: string) => {
    compared.push(before)
    return compareTexts(before, after)
  }
  const [long, short] = [many(300, 'old').join('\n'), many(200, 'old').join('\n')]

  const { text } = await gitDiff(long, many(300, 'new').join('\n'), compareLongTexts)
  await gitDiff(short, many(200, 'new').join('\n'), compareLongTexts)

  expect(text).toContain('@@ -1,300 +1,300 @@')
  expect(compared).toEqual([long])
})

test('texts whose comparison takes too much have an empty difference with a warning', async () => {
  const fail = async (): Promise<never> => {
    throw new BowlineError('SCRAPE_SITE_ERROR', 'Processing two versions took more than 20 s')
  }

  expect(await gitDiff('a\n'.repeat(1000), 'b\n'.repeat(1000), fail)).toEqual({
    text: '',
    json: { files: [] },
    warning: 'Processing two versions took more than 20 s: the diff is empty.',
  })
})

test('other work gets turns while a long difference is written', async () => {
  const lines = (salt: string): string => Array.from({ length: 30_000 }, (_, index) => `${salt} ${index}`).join('\n')
  const [before, after] = [lines('old'), lines('new')]
  const diff = compareTexts(before, after)
  let turns = 0
  const count = (): void => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)

  await gitDiff(before, after, async () => diff)

  clearImmediate(timer)
  expect(turns).toBeGreaterThan(9)
})
