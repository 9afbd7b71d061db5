import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../server/src/store/open.ts'
import { startPostgres } from '../lab/postgres.ts'
import { atLeast, type BenchGroup } from './group.ts'
import { median, quantile, timed } from './samples.ts'
import { fillIndex, pageOf, rareWord, type BenchIndex } from './search/made-up-pages.ts'

/** Searches that run at once. */
const clients = 4

/** Speed of a search index that has as many pages as a team may keep. */
export const group: BenchGroup = {
  name: 'search-large',
  about: `the index of 100,000 scraped pages of 5 kB in PostgreSQL (--quick: 10,000), ${clients} searches at once`,
  run: async ({ isQuick, rounds = 100, progress }) => {
    const count = isQuick ? 10_000 : 100_000
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-bench-'))
    await using postgres = await startPostgres()
    await using database = await postgres.createDatabase()
    await using store = await openStore({ dataDir: folder.path, databaseUrl: database.url })
    const index = await fillIndex(store, makePages(count, progress))
    const kinds: Readonly<Record<string, (round: number) => string>> = {
      'a rare word': (round) => rareWord((round * 7919) % count),
      'a misspelled rare word': (round) => rareWord((round * 7919) % count).replace('rare', 'raer'),
      'a common word': (round) => `w${(round % 8).toString(36)}x`,
      'a word of every page': () => 'harbour',
      'three words': (round) => `harbour w${(round * 37).toString(36)}x w${(round * 101).toString(36)}x`,
      'a phrase': () => '"boats of the harbour"',
      'a word of a site': (round) => `w${(round * 3).toString(36)}x site:site${round % 50}.example`,
    }
    const queries = Object.values(kinds)
    for (const [name, make] of Object.entries(kinds)) {
      progress(`  ${name}`)
      await index.search(make(0))
    }
    const samples = new Map<string, readonly number[]>()
    for (const [name, make] of Object.entries(kinds)) samples.set(name, await searchAll(index, [make], rounds))
    progress('  all kinds')
    const startedMs = performance.now()
    await searchAll(index, queries, rounds)
    const perSecond = (rounds * queries.length * 1000) / (performance.now() - startedMs)
    return [
      { name: 'indexing a page', unit: 'ms', ours: index.msPerPage },
      { name: 'searches of all kinds', unit: 'per s', ours: perSecond, aim: atLeast(50) },
      ...[...samples].flatMap(([name, each]) => [
        { name: `${name}, p50`, unit: 'ms', ours: median(each) },
        { name: `${name}, p95`, unit: 'ms', ours: quantile(each, 0.95) },
      ]),
    ]
  },
}

function* makePages(count: number, progress: (line: string) => void) {
  for (let index = 0; index < count; index += 1) {
    if (index % 10_000 === 0) progress(`  ${index} of ${count} pages`)
    yield pageOf(index)
  }
}

/** Milliseconds of each search: `rounds` of each kind, several at once. */
async function searchAll(
  index: BenchIndex,
  kinds: readonly ((round: number) => string)[],
  rounds: number,
): Promise<readonly number[]> {
  const queue = Array.from({ length: rounds }, (_, round) => kinds.map((make) => make(round)))
    .flat()
    .values()
  const samples: number[] = []
  const work = async (): Promise<void> => {
    for (const query of queue) samples.push(await timed(async () => index.search(query)))
  }
  await Promise.all(Array.from({ length: clients }, work))
  return samples
}
