import { createIndexProvider } from '../../../server/src/search/index-provider.ts'
import { PageIndexer } from '../../../server/src/search/page-indexer.ts'
import type { Store } from '../../../server/src/store/store.ts'
import { noSignal, webQuery } from '../../../server/test/search/fixture.ts'
import { makeTeam } from '../../../server/test/store/fixture.ts'
import type { LabelledQuery, LabelledSearch } from './labelled-queries.ts'

/** How well searches find the one page that each query was taken from. */
export interface SearchScore {
  /** Mean of 1 / position of the page among ten results, 0 if it is missing. */
  readonly reciprocalRank: number
  /** Share of queries whose page is among ten results. */
  readonly recall: number
  readonly msPerQuery: number
}

/** Indexes pages for a new team. */
export async function indexPages(store: Store, pages: LabelledSearch['pages']) {
  const { team } = await makeTeam(store.db)
  await using index = new PageIndexer({
    store,
    maxPages: pages.length,
    onError: (error) => {
      throw error
    },
  })
  const startedMs = performance.now()
  for (const [position, page] of pages.entries()) {
    index.add({ teamId: team.id, ...page })
    if (position % 100 === 99) await index.waitForPending()
  }
  await index.waitForPending()
  return { teamId: team.id, msPerPage: (performance.now() - startedMs) / pages.length }
}

/** Searches for each query, and scores the positions of its page. */
export async function scoreSearch(
  store: Store,
  { teamId, queries }: { readonly teamId: string; readonly queries: readonly LabelledQuery[] },
  text: 'query' | 'misspelt',
): Promise<SearchScore> {
  const provider = createIndexProvider(store)
  const positions: number[] = []
  const startedMs = performance.now()
  for (const each of queries) {
    const { results } = await provider.search(webQuery(each[text], { teamId }), noSignal)
    positions.push(results.findIndex(({ url }) => url === each.url))
  }
  const sum = positions.reduce((total, position) => total + (position < 0 ? 0 : 1 / (position + 1)), 0)
  return {
    reciprocalRank: sum / queries.length,
    recall: positions.filter((position) => position >= 0).length / queries.length,
    msPerQuery: (performance.now() - startedMs) / queries.length,
  }
}
