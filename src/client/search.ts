import type { ImageResult, NewsResult, SearchOptions, WebResult } from '../contract/search.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/** What a search found, best first: a list for each source, empty for those that were not asked. */
export interface SearchResults {
  /** Id of the search in the team's activity; a service may omit it. */
  readonly id: string | undefined
  readonly web: readonly WebResult[]
  readonly news: readonly NewsResult[]
  readonly images: readonly ImageResult[]
  /** What the search could not do. */
  readonly warning: string | undefined
  /** Credits for the search and for what was scraped; a service may omit it. */
  readonly creditsUsed: number | undefined
}

/**
 * Searches. With formats in `options.scrapeOptions` each result is scraped, too; one that fails has its error in
 * `metadata.error`. Rejects with SEARCH_TIMEOUT after `options.timeout` milliseconds, and with SEARCH_FAILED. Aborting
 * ends the work on the server, too.
 */
export type Search = (query: string, options?: SearchOptions, how?: Abortable) => Promise<SearchResults>

/** What a server takes for `timeout` when nothing is said, in milliseconds. */
const defaultTimeoutMs = 60_000

/** Milliseconds for a server to say that its time is over. */
const graceMs = 15_000

/** Makes the `search` of a client. */
export function createSearch(call: Call): Search {
  return async (query, options = {}, how = {}) => {
    const timeoutMs = (options.timeout ?? defaultTimeoutMs) + graceMs
    const { data, id, warning, creditsUsed } = await call(
      'search',
      { body: { ...options, query } },
      { ...how, timeoutMs },
    )
    const { web = [], news = [], images = [] } = data
    return { id, web, news, images, warning: warning ?? undefined, creditsUsed }
  }
}
