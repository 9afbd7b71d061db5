import { mapLimits } from '../contract/map.ts'

/**
 * Upper bound for the cost of seeds and the work on them.
 *
 * @example
 * ```ts
 * import { Bowline, seeds, type SeedEstimate } from 'bowline'
 *
 * const estimate: SeedEstimate = seeds(new Bowline(), { urls: ['https://example.com'] }).estimate()
 * console.log(`At most ${estimate.total} credits for ${estimate.urls} URLs`)
 * ```
 */
export interface SeedEstimate {
  /** Credits for searches and maps. */
  readonly discovery: number
  /** Maximum number of URLs. Infinity if the length of a source is unknown. */
  readonly urls: number
  /** Credits for the work on the URLs. */
  readonly work: number
  readonly total: number
}

const defaultSearchLimit = 10
const creditsPerTenResults = 2
const creditsPerMap = 1

/** Adds up the maximum number of URLs and the cost of the sources. */
export function estimateSeeds(sources: {
  readonly urls: Iterable<string> | AsyncIterable<string> | undefined
  readonly searches: readonly {
    readonly limit?: number | undefined
    readonly sources?: readonly unknown[] | undefined
  }[]
  readonly maps: readonly { readonly limit?: number | undefined }[]
  readonly mapLimit: { readonly limit?: number }
  readonly limit: number
  readonly creditsPerUrl: number
}): SeedEstimate {
  const { urls: given, searches, maps, mapLimit, limit, creditsPerUrl } = sources
  const resultsOf = (search: (typeof searches)[number]): number =>
    (search.limit ?? defaultSearchLimit) * (search.sources?.length ?? 1)
  const results = searches.reduce((sum, search) => sum + resultsOf(search), 0)
  const pages = maps.reduce((sum, map) => sum + (map.limit ?? mapLimit.limit ?? mapLimits.default), 0)
  const discovery =
    searches.reduce((sum, search) => sum + Math.ceil(resultsOf(search) / 10) * creditsPerTenResults, 0) +
    maps.length * creditsPerMap
  const urls = Math.min(limit, sizeOf(given) + results + pages)
  return { discovery, urls, work: urls * creditsPerUrl, total: discovery + urls * creditsPerUrl }
}

function sizeOf(urls: Iterable<string> | AsyncIterable<string> | undefined): number {
  if (urls === undefined) return 0
  if (Array.isArray(urls)) return urls.length
  return urls instanceof Set ? urls.size : Infinity
}
