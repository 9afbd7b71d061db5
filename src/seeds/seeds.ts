import type { MapSite } from '../client/map.ts'
import type { Search } from '../client/search.ts'
import { checkNumber } from '../client/config.ts'
import { mapLimits, type MapOptions } from '../contract/map.ts'
import type { SearchOptions } from '../contract/search.ts'
import type { Abortable } from '../kit/abort.ts'
import { canonicalUrl, pageKeyOf } from '../kit/canonical-url.ts'
import { BowlineError } from '../kit/errors.ts'
import { estimateSeeds, type SeedEstimate } from './estimate-seeds.ts'
import { createSeedFilter, type SeedPattern } from './seed-filter.ts'

/**
 * A search whose results become seeds.
 *
 * @example
 * ```ts
 * import { Bowline, seeds, type SeedSearch } from 'bowline'
 *
 * const search: SeedSearch = { query: 'night boats -ferry', limit: 10, tbs: 'qdr:m' }
 * for await (const url of seeds(new Bowline(), { search })) console.log(url)
 * ```
 */
export interface SeedSearch extends Omit<SearchOptions, 'scrapeOptions'> {
  readonly query: string
}

/**
 * A site whose pages become seeds.
 *
 * @example
 * ```ts
 * import { Bowline, seeds, type SeedMap } from 'bowline'
 *
 * const map: SeedMap = { url: 'https://example.com', search: 'pricing', limit: 20 }
 * for await (const url of seeds(new Bowline(), { map })) console.log(url)
 * ```
 */
export interface SeedMap extends MapOptions {
  readonly url: string
}

/**
 * Sources and filters of `seeds()`. At least one of `urls`, `search` and `map` is required.
 *
 * @example
 * ```ts
 * import { Bowline, seeds, type SeedOptions } from 'bowline'
 *
 * const options: SeedOptions = {
 *   urls: ['https://example.com'],
 *   map: { url: 'https://example.com', limit: 50 },
 *   include: '/*',
 *   exclude: /\.(?:png|zip)$/,
 *   limit: 20,
 *   onError: (error, source) => console.warn(source, error),
 * }
 * for await (const url of seeds(new Bowline(), options)) console.log(url)
 * ```
 */
export interface SeedOptions extends Abortable {
  /** URLs to start with. They come first. */
  readonly urls?: Iterable<string> | AsyncIterable<string> | undefined
  /** Searches whose web and news results are added. */
  readonly search?: string | SeedSearch | readonly (string | SeedSearch)[] | undefined
  /** Sites whose pages are added. */
  readonly map?: string | SeedMap | readonly (string | SeedMap)[] | undefined
  /** Only URLs that match one of these patterns. Default: all. */
  readonly include?: SeedPattern | readonly SeedPattern[] | undefined
  /** Exclude URLs that match one of these patterns. Default: none. */
  readonly exclude?: SeedPattern | readonly SeedPattern[] | undefined
  /**
   * Maximum number of URLs. Searches and maps that are no longer needed are skipped. Default: no
   * limit.
   */
  readonly limit?: number | undefined
  /**
   * Called when a search or map fails; the other sources continue. Default: the iteration rejects
   * with the error.
   */
  readonly onError?:
    | ((error: unknown, source: { readonly search: string } | { readonly map: string }) => void)
    | undefined
}

/**
 * Deduplicated, canonical URLs. Each iteration finds them again, as it proceeds.
 *
 * @example
 * ```ts
 * import { Bowline, seeds, type Seeds } from 'bowline'
 *
 * const urls: Seeds = seeds(new Bowline(), { map: 'https://example.com', limit: 5 })
 * console.log(urls.estimate({ creditsPerUrl: 2 }).total) // 1 for the map, and 2 for each URL
 * for await (const url of urls) console.log(url)
 * ```
 */
export interface Seeds extends AsyncIterable<string> {
  /**
   * Returns the maximum cost of finding the URLs and of the work on them, without sending a
   * request. Default of `creditsPerUrl`: 1.
   */
  readonly estimate: (work?: { readonly creditsPerUrl?: number | undefined }) => SeedEstimate
}

/**
 * A client that can search and map, such as `Bowline`.
 *
 * @example
 * ```ts
 * import { Bowline, seeds, type Finder } from 'bowline'
 *
 * const finder: Finder = new Bowline()
 * for await (const url of seeds(finder, { map: { url: 'https://example.com' } })) console.log(url)
 * ```
 */
export interface Finder {
  readonly map: MapSite
  readonly search: Search
}

/**
 * Collects URLs from lists, searches and site maps, for a pool or a batch. URLs are absolute,
 * without fragment and tracking parameters. URLs that differ only in scheme, `www.` or a trailing
 * slash count as one. Throws CONFIG_INVALID.
 *
 * @example
 * ```ts
 * import { Bowline, seeds } from 'bowline'
 *
 * const bowline = new Bowline()
 * const urls = seeds(bowline, { map: 'https://example.com', exclude: '/admin/*', limit: 3 })
 * console.log(`At most ${urls.estimate({ creditsPerUrl: 1 }).total} credits`)
 * for await (const { metadata } of bowline.batchScrape(urls)) console.log(metadata.sourceURL)
 * ```
 */
export function seeds(finder: Finder, options: SeedOptions): Seeds {
  const isWanted = createSeedFilter(options.include, options.exclude)
  const searches = toList(options.search).map((each) => (typeof each === 'string' ? { query: each } : each))
  const maps = toList(options.map).map((each) => (typeof each === 'string' ? { url: each } : each))
  if (options.urls === undefined && searches.length === 0 && maps.length === 0) {
    throw new BowlineError('CONFIG_INVALID', '`seeds()` needs at least one source', {
      hint: 'Pass `urls`, `search` or `map`.',
    })
  }
  if (typeof options.urls === 'string') {
    throw new BowlineError('CONFIG_INVALID', '`urls` must be an array, got a string', { hint: 'Pass `[url]`.' })
  }
  const { limit = Infinity } = options
  if (limit !== Infinity) checkNumber('limit', limit, 0)
  const isFiltered = options.include !== undefined || options.exclude !== undefined
  const mapLimit = isFiltered || limit === Infinity ? {} : { limit: Math.min(limit, mapLimits.max) }
  const gather = async function* (): AsyncGenerator<string> {
    const seen = new Set<string>()
    if (limit < 1) return
    for await (const text of collect(finder, { ...options, searches, maps, mapLimit })) {
      const url = canonicalUrl(text.trim(), { ignoreQueryParameters: false })
      if (url === undefined || !isWanted(url) || seen.has(pageKeyOf(url))) continue
      seen.add(pageKeyOf(url))
      yield url.href
      if (seen.size >= limit) return
    }
  }
  return {
    [Symbol.asyncIterator]: gather,
    estimate: ({ creditsPerUrl = 1 } = {}) =>
      estimateSeeds({ urls: options.urls, searches, maps, mapLimit, limit, creditsPerUrl }),
  }
}

interface Sources extends SeedOptions {
  readonly searches: readonly SeedSearch[]
  readonly maps: readonly SeedMap[]
  readonly mapLimit: { readonly limit?: number }
}

async function* collect(finder: Finder, sources: Sources): AsyncGenerator<string> {
  const { signal, onError } = sources
  signal?.throwIfAborted()
  if (sources.urls !== undefined) yield* sources.urls
  for (const { query, ...options } of sources.searches) {
    const load = async (): Promise<readonly (string | undefined)[]> => {
      const { web, news } = await finder.search(query, options, { signal })
      return [...web, ...news].map(({ url }) => url)
    }
    for (const url of await orReport(load, onError && ((error) => onError(error, { search: query }))))
      if (url) yield url
  }
  for (const { url: site, ...options } of sources.maps) {
    const load = async (): Promise<readonly string[]> =>
      (await finder.map(site, { ignoreQueryParameters: false, ...sources.mapLimit, ...options }, { signal })).links.map(
        ({ url }) => url,
      )
    yield* await orReport(load, onError && ((error) => onError(error, { map: site })))
  }
}

async function orReport<Value>(
  load: () => Promise<readonly Value[]>,
  reportError: ((error: unknown) => void) | undefined,
): Promise<readonly Value[]> {
  try {
    return await load()
  } catch (error) {
    if (reportError === undefined) throw error
    reportError(error)
    return []
  }
}

function toList<Value>(value: Value | readonly Value[] | undefined): readonly Value[] {
  if (value === undefined) return []
  return Array.isArray(value) ? (value as readonly Value[]) : [value as Value]
}
