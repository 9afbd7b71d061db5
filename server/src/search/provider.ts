import type { SearchRequest } from 'bowline/contract/search'
import type { TimeRange } from 'bowline/contract/time-range'
import type { Clause } from './parse-query.ts'

/** Where results come from. */
export type Source = SearchRequest['sources'][number]['type']

/** What is asked of one source. */
export interface SearchWish {
  readonly teamId: string
  readonly source: Source
  readonly clauses: readonly Clause[]
  /** Results are of one of these sites; empty: of any. */
  readonly includeDomains: readonly string[]
  readonly excludeDomains: readonly string[]
  readonly categories: readonly Category[]
  readonly range: TimeRange | undefined
  /** Such as `de`. */
  readonly language: string
  /** ISO 3166 code, small. */
  readonly country: string | undefined
  readonly safe: 'off' | 'moderate' | 'strict' | undefined
  /** Results that are wanted in the end. */
  readonly limit: number
}

/** A kind of results: those of some sites, or of a type. */
export interface Category {
  readonly name: string
  readonly domains: readonly string[]
  readonly isPdf: boolean
}

/** One result, whatever its source: what is not known is absent. */
export interface Result {
  readonly url: string
  readonly title: string
  readonly description: string
  /** When it was published or changed. */
  readonly date?: Date | undefined
  readonly imageUrl?: string | undefined
  readonly imageWidth?: number | undefined
  readonly imageHeight?: number | undefined
}

/** What a provider found, best first, and what it could not do. */
export interface Found {
  readonly results: readonly Result[]
  readonly warnings: readonly string[]
}

/** Something that can be asked for pages. */
export interface SearchProvider {
  readonly name: 'index' | 'searxng' | 'brave'
  readonly sources: readonly Source[]
  /** Throws SEARCH_FAILED, or the signal's reason. */
  readonly search: (wish: SearchWish, signal: AbortSignal) => Promise<Found>
}
