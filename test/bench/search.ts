import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore } from '../../server/src/store/open.ts'
import { atMost, type BenchGroup, type Figure } from './group.ts'
import { interleave, median, timed } from './samples.ts'
import { fillIndex, pageOf, rareWord, type BenchPage } from './search/made-up-pages.ts'

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
      'a rare word': rareWord(count >> 1),
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
