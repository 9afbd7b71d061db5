import {
  searchLimits,
  type ImageResult,
  type NewsResult,
  type SearchOptions,
  type WebResult,
} from '../contract/search.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'
import { requestTimeout } from './request-timeout.ts'

/**
 * Results of a search, best first. Each source has its own list, which is empty if the source was
 * not requested.
 *
 * @example
 * ```ts
 * import { Bowline, type SearchResults } from 'bowline'
 *
 * const { web, creditsUsed, warning }: SearchResults = await new Bowline().search('night boats')
 * for (const { url, title, description } of web) console.log(url, title, description)
 * console.log(creditsUsed, warning)
 * ```
 */
export interface SearchResults {
  /** Id of the job in `activity()`. Some services omit it. */
  readonly id: string | undefined
  readonly web: readonly WebResult[]
  readonly news: readonly NewsResult[]
  readonly images: readonly ImageResult[]
  /** Describes parts of the search that failed. */
  readonly warning: string | undefined
  /** Credits for the search and the scraped results. Some services omit it. */
  readonly creditsUsed: number | undefined
}

/**
 * Searches the web. With `formats` in `options.scrapeOptions`, each result is scraped as well. A
 * result that cannot be scraped has the error in `metadata.error`.
 *
 * Rejects with SEARCH_TIMEOUT after `options.timeout` milliseconds, and with SEARCH_FAILED.
 * Aborting also stops the work on the server.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * const { web } = await bowline.search('rope knots', { limit: 5 })
 * for (const { url, title } of web) console.log(title, url)
 * ```
 */
export type Search = (query: string, options?: SearchOptions, requestOptions?: Abortable) => Promise<SearchResults>

/** Creates `bowline.search`. */
export function createSearch(call: Call): Search {
  return async (query, options = {}, requestOptions = {}) => {
    const timeoutMs = requestTimeout(options.timeout, { fallback: searchLimits.defaultTimeout })
    const { data, id, warning, creditsUsed } = await call(
      'search',
      { body: { ...options, query } },
      { ...requestOptions, timeoutMs },
    )
    const { web = [], news = [], images = [] } = data
    return { id, web, news, images, warning: warning ?? undefined, creditsUsed }
  }
}
