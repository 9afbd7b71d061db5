import type { SearchRequest } from 'bowline/contract/search'
import type { TimeRange } from 'bowline/contract/time-range'
import type { Clause } from './parse-query.ts'

/** Kind of results: `web`, `news` or `images`. */
export type Source = SearchRequest['sources'][number]['type']

/** A query for one source. */
export interface ProviderQuery {
  readonly teamId: string
  readonly source: Source
  readonly clauses: readonly Clause[]
  /** Only results of these sites. Empty: of any site. */
  readonly includeDomains: readonly string[]
  readonly excludeDomains: readonly string[]
  readonly categories: readonly Category[]
  readonly range: TimeRange | undefined
  /** Such as `de`. */
  readonly language: string
  /** Lower-case ISO 3166 code. */
  readonly country: string | undefined
  readonly safe: 'off' | 'moderate' | 'strict' | undefined
  /**
   * Whether descriptions are passages with the found words in `**` (`true`) or those of the pages
   * (`false`). Default: passages without marks.
   */
  readonly highlights?: boolean | undefined
  /** Maximum number of results. */
  readonly limit: number
}

/** A category of results: those of some sites, or PDF files. */
export interface Category {
  readonly name: string
  readonly domains: readonly string[]
  readonly isPdf: boolean
}

/** A search result of any source. */
export interface Result {
  readonly url: string
  readonly title: string
  readonly description: string
  /** Time of publication or last change. */
  readonly date?: Date | undefined
  readonly imageUrl?: string | undefined
  readonly imageWidth?: number | undefined
  readonly imageHeight?: number | undefined
}

/** Results of a provider, best first, with warnings about unsupported options. */
export interface Found {
  readonly results: readonly Result[]
  readonly warnings: readonly string[]
}

/** A search engine. */
export interface SearchProvider {
  readonly name: 'index' | 'searxng' | 'brave'
  readonly sources: readonly Source[]
  /** Throws SEARCH_FAILED, or the signal's reason. */
  readonly search: (query: ProviderQuery, signal: AbortSignal) => Promise<Found>
}
