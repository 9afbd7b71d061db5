import { sql } from 'kysely'
import { createIndexProvider } from '../../../server/src/search/index-provider.ts'
import { PageIndexer } from '../../../server/src/search/page-indexer.ts'
import type { Store } from '../../../server/src/store/store.ts'
import { noSignal, webQuery } from '../../../server/test/search/fixture.ts'
import { makeTeam } from '../../../server/test/store/fixture.ts'

/** A page of 5 kB. */
export interface BenchPage {
  readonly url: string
  readonly title: string
  readonly body: string
}

/** The word that only one page has, such as `rarekdwqa`. */
export function rareWord(index: number): string {
  let rest = (index * 7_368_787) % 26 ** 5
  const letters = Array.from({ length: 5 }, () => {
    const letter = String.fromCodePoint(97 + (rest % 26))
    rest = Math.floor(rest / 26)
    return letter
  })
  return `rare${letters.join('')}`
}

/** Makes a page of words with a frequency distribution like a natural language. */
export function pageOf(index: number): BenchPage {
  let state = index * 2_654_435_761 + 1
  const random = (): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
  const words = Array.from({ length: 800 }, () => `w${Math.floor(random() ** 4 * 20_000).toString(36)}x`)
  return {
    url: `http://site${index % 50}.example/docs/page-${index}`,
    title: `Page ${index} about ${words[0]}`,
    body: `Boats of the harbour. ${words.join(' ')} ${rareWord(index)}.`,
  }
}

/** A filled search index. */
export interface BenchIndex {
  readonly msPerPage: number
  /** Searches for ten results. Throws an `Error` if there are none. */
  readonly search: (query: string) => Promise<void>
}

/** Indexes pages for a new team. */
export async function fillIndex(store: Store, pages: Iterable<BenchPage>): Promise<BenchIndex> {
  const { team } = await makeTeam(store.db)
  await using index = new PageIndexer({
    store,
    maxPages: 1_000_000,
    onError: (error) => {
      throw error
    },
  })
  let added = 0
  const startedMs = performance.now()
  for (const { url, title, body } of pages) {
    index.add({ teamId: team.id, url, markdown: body, metadata: { title } })
    added += 1
    if (added % 500 === 0) await index.waitForPending()
  }
  await index.waitForPending()
  const msPerPage = (performance.now() - startedMs) / added
  // The maintenance of the store does this every minute.
  await sql`vacuum analyze indexed_page`.execute(store.db)
  const provider = createIndexProvider(store)
  return {
    msPerPage,
    search: async (query) => {
      const { results } = await provider.search(webQuery(query, { teamId: team.id }), noSignal)
      if (results.length === 0) throw new Error(`no results for ${query}`)
    },
  }
}
