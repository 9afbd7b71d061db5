import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { createIndexProvider } from '../../server/src/search/index-provider.ts'
import { PageIndexer } from '../../server/src/search/page-indexer.ts'
import { openStore } from '../../server/src/store/open.ts'
import type { Store } from '../../server/src/store/store.ts'
import { noSignal, webQuery } from '../../server/test/search/fixture.ts'
import { makeTeam } from '../../server/test/store/fixture.ts'
import { atMost, type BenchGroup, type Figure } from './group.ts'
import { interleave, median, timed } from './samples.ts'

/** Speed of indexing and searching scraped pages in the embedded store. */
export const group: BenchGroup = {
  name: 'search',
  about: 'the index of scraped pages in PGlite, 5 kB per page; baseline: FTS5 of SQLite with the same pages',
  run: async ({ isQuick, rounds = isQuick ? 5 : 20, progress }) => {
    const count = isQuick ? 1000 : 5000
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-bench-'))
    await using store = await openStore({ dataDir: folder.path })
    const pages = Array.from({ length: count }, (_, index) => pageOf(index))
    progress(`  indexing ${count} pages`)
    const ours = await fillIndex(store, pages)
    using sqlite = fillSqlite(pages)
    const queries = {
      'a rare word': `rare${count >> 1}`,
      'a common word': 'harbour',
      'two words': 'harbour w7x',
      'a phrase': '"the harbour"',
    }
    const figures: Figure[] = [
      { name: 'indexing a page', unit: 'ms', ours: ours.msPerPage, baseline: sqlite.msPerPage },
    ]
    for (const [name, query] of Object.entries(queries)) {
      progress(`  ${name}`)
      const samples = await interleave(
        {
          ours: async () => timed(async () => ours.search(query)),
          baseline: async () => timed(async () => sqlite.search(query)),
        },
        rounds,
      )
      const figure = {
        name: `${name}, p50 of ten results`,
        unit: 'ms',
        ours: median(samples.ours),
        baseline: median(samples.baseline),
      }
      figures.push(name.endsWith(' word') ? { ...figure, aim: atMost(100) } : figure)
    }
    return figures
  },
}

interface BenchPage {
  readonly url: string
  readonly title: string
  readonly body: string
}

/** Words with a frequency distribution like a natural language. */
function pageOf(index: number): BenchPage {
  let state = index * 2_654_435_761 + 1
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
  const words = Array.from({ length: 800 }, () => `w${Math.floor(random() ** 4 * 20_000).toString(36)}x`)
  return {
    url: `http://site${index % 50}.example/docs/page-${index}`,
    title: `Page ${index} about ${words[0]}`,
    body: `Boats of the harbour. ${words.join(' ')} rare${index}.`,
  }
}

async function fillIndex(store: Store, pages: readonly BenchPage[]) {
  const { team } = await makeTeam(store.db)
  await using index = new PageIndexer({
    store,
    maxPages: pages.length,
    onError: (error) => {
      throw error
    },
  })
  let waiting = 0
  const startedMs = performance.now()
  for (const { url, title, body } of pages) {
    index.add({ teamId: team.id, url, markdown: body, metadata: { title } })
    waiting += 1
    if (waiting % 500 === 0) await index.waitForPending()
  }
  await index.waitForPending()
  const msPerPage = (performance.now() - startedMs) / pages.length
  // The maintenance of the store does this every minute.
  await sql`vacuum analyze indexed_page`.execute(store.db)
  const provider = createIndexProvider(store)
  return {
    msPerPage,
    search: async (query: string): Promise<void> => {
      const { results } = await provider.search(webQuery(query, { teamId: team.id }), noSignal)
      if (results.length === 0) throw new Error(`no results for ${query}`)
    },
  }
}

function fillSqlite(pages: readonly BenchPage[]) {
  const database = new DatabaseSync(':memory:')
  database.exec(`create virtual table page using fts5(url unindexed, title, body, tokenize = 'porter')`)
  const insert = database.prepare('insert into page values (?, ?, ?)')
  const startedMs = performance.now()
  for (const { url, title, body } of pages) insert.run(url, title, body)
  const msPerPage = (performance.now() - startedMs) / pages.length
  const select = database.prepare(
    `select url, title, snippet(page, 2, '', '', '…', 35) from page where page match ? order by bm25(page, 0, 5, 1) limit 10`,
  )
  return {
    msPerPage,
    search: (query: string): void => {
      if (select.all(query).length === 0) throw new Error(`no results for ${query}`)
    },
    [Symbol.dispose]: () => database.close(),
  }
}
