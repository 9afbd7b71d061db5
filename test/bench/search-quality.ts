import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../../server/src/store/open.ts'
import { startPostgres } from '../lab/postgres.ts'
import { readLabelledPages } from './content/pages.ts'
import { atLeast, type BenchGroup, type Figure } from './group.ts'
import { makeLabelledSearch, type LabelledSearch } from './search/labelled-queries.ts'
import { indexPages, scoreSearch } from './search/score-search.ts'

/** Ranking of searches with known answers, over the pages in `BOWLINE_CONTENT_BENCH`. */
export const group: BenchGroup = {
  name: 'search-quality',
  about:
    'titles and headings as queries for the pages in BOWLINE_CONTENT_BENCH, which no longer contain them; ' +
    'baseline: the same queries with a misspelt word',
  run: async ({ isQuick, progress }) => {
    const folder = process.env['BOWLINE_CONTENT_BENCH']
    if (folder === undefined) return []
    progress('  reading pages')
    const labelled = makeLabelledSearch(readLabelledPages(folder))
    const queries = labelled.queries.filter((_, index) => !isQuick || index % 4 === 0)
    progress(`  ${labelled.pages.length} pages, ${queries.length} queries`)
    const chosen = { pages: labelled.pages, queries }
    await using files = await mkdtempDisposable(join(tmpdir(), 'bowline-bench-'))
    const embedded = await measure('PGlite', { dataDir: files.path }, chosen)
    if (isQuick) return embedded
    progress('  PostgreSQL')
    await using postgres = await startPostgres()
    await using database = await postgres.createDatabase()
    return [...embedded, ...(await measure('PostgreSQL', { dataDir: files.path, databaseUrl: database.url }, chosen))]
  },
}

async function measure(
  name: string,
  options: Parameters<typeof openStore>[0],
  { pages, queries }: LabelledSearch,
): Promise<readonly Figure[]> {
  await using store = await openStore(options)
  const { teamId, msPerPage } = await indexPages(store, pages)
  const exact = await scoreSearch(store, { teamId, queries }, 'query')
  const misspelt = await scoreSearch(store, { teamId, queries }, 'misspelt')
  return [
    {
      name: `mean reciprocal rank, ${name}`,
      unit: '',
      ours: exact.reciprocalRank,
      baseline: misspelt.reciprocalRank,
      aim: atLeast(0.7),
    },
    { name: `recall at ten results, ${name}`, unit: '', ours: exact.recall, baseline: misspelt.recall },
    { name: `a query, ${name}`, unit: 'ms', ours: exact.msPerQuery, baseline: misspelt.msPerQuery },
    { name: `indexing a page, ${name}`, unit: 'ms', ours: msPerPage },
  ]
}
