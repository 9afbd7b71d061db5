import type { MapSite } from '../client/map.ts'
import type { Search } from '../client/search.ts'
import { checkNumber } from '../client/config.ts'
import { mapLimits, type MapOptions } from '../contract/map.ts'
import type { SearchOptions } from '../contract/search.ts'
import type { Abortable } from '../kit/abort.ts'
import { canonicalUrl, identityOf } from '../kit/canonical-url.ts'
import { BowlineError } from '../kit/errors.ts'
import { estimateSeeds, type SeedEstimate } from './estimate-seeds.ts'
import { createSeedFilter, type SeedPattern } from './seed-filter.ts'

/** A search for pages. */
export interface SeedSearch extends Omit<SearchOptions, 'scrapeOptions'> {
  readonly query: string
}

/** A site whose pages are wanted. */
export interface SeedMap extends MapOptions {
  readonly url: string
}

/** Where addresses come from, and which of them are wanted. */
export interface SeedOptions extends Abortable {
  /** Addresses you have. They come first. */
  readonly urls?: Iterable<string> | AsyncIterable<string> | undefined
  /** Searches whose results are wanted. */
  readonly search?: string | SeedSearch | readonly (string | SeedSearch)[] | undefined
  /** Sites whose pages are wanted. */
  readonly map?: string | SeedMap | readonly (string | SeedMap)[] | undefined
  /** Only addresses that match one of these. Default: all. */
  readonly include?: SeedPattern | readonly SeedPattern[] | undefined
  /** No address that matches one of these. Default: none. */
  readonly exclude?: SeedPattern | readonly SeedPattern[] | undefined
  /** Most addresses. Searches and maps that are not needed any more are not made. Default: no limit. */
  readonly limit?: number | undefined
  /** Called when a search or a map fails, and the others go on. Default: the iteration rejects with the error. */
  readonly onError?:
    | ((error: unknown, source: { readonly search: string } | { readonly map: string }) => void)
    | undefined
}

/** Addresses of pages, each once and in its canonical form. They are found as they are read, anew for each loop. */
export interface Seeds extends AsyncIterable<string> {
  /** Most credits for finding the addresses, and for what is then done with each of them, before anything is asked. */
  readonly estimate: (work?: { readonly creditsPerUrl?: number | undefined }) => SeedEstimate
}

/** What finds addresses: a `Bowline`. */
export interface Finder {
  readonly map: MapSite
  readonly search: Search
}

/**
 * Gathers the addresses of pages from a list, searches and maps of sites: absolute, without fragment and tracking
 * parameters, and one for each page, whatever its scheme, `www.` or slash at the end. Feeds a pool or a batch directly. Throws CONFIG_INVALID.
 */
export function seeds(finder: Finder, options: SeedOptions): Seeds {
  const isWanted = createSeedFilter(options.include, options.exclude)
  const searches = toList(options.search).map((each) => (typeof each === 'string' ? { query: each } : each))
  const maps = toList(options.map).map((each) => (typeof each === 'string' ? { url: each } : each))
  if (options.urls === undefined && searches.length === 0 && maps.length === 0) {
    throw new BowlineError('CONFIG_INVALID', 'The seeds have no source', { hint: 'Pass `urls`, `search` or `map`.' })
  }
  if (typeof options.urls === 'string') {
    throw new BowlineError('CONFIG_INVALID', '`urls` is a text; it must be a list', { hint: 'Pass `[url]`.' })
  }
  const { limit = Infinity } = options
  if (limit !== Infinity) checkNumber('limit', limit, 0)
  const isFiltered = options.include !== undefined || options.exclude !== undefined
  const mapLimit = isFiltered || limit === Infinity ? {} : { limit: Math.min(limit, mapLimits.max) }
  const gather = async function* (): AsyncGenerator<string> {
    const seen = new Set<string>()
    if (limit < 1) return
    for await (const text of found(finder, { ...options, searches, maps, mapLimit })) {
      const url = canonicalUrl(text.trim(), { ignoreQueryParameters: false })
      if (url === undefined || !isWanted(url) || seen.has(identityOf(url))) continue
      seen.add(identityOf(url))
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

const found = async function* (finder: Finder, sources: Sources): AsyncGenerator<string> {
  const { signal, onError } = sources
  signal?.throwIfAborted()
  if (sources.urls !== undefined) yield* sources.urls
  for (const { query, ...options } of sources.searches) {
    const ask = async (): Promise<readonly (string | undefined)[]> => {
      const { web, news } = await finder.search(query, options, { signal })
      return [...web, ...news].map(({ url }) => url)
    }
    for (const url of await orTold(ask, onError && ((error) => onError(error, { search: query })))) if (url) yield url
  }
  for (const { url: site, ...options } of sources.maps) {
    const ask = async (): Promise<readonly string[]> =>
      (await finder.map(site, { ignoreQueryParameters: false, ...sources.mapLimit, ...options }, { signal })).links.map(
        ({ url }) => url,
      )
    yield* await orTold(ask, onError && ((error) => onError(error, { map: site })))
  }
}

async function orTold<Value>(
  ask: () => Promise<readonly Value[]>,
  reportError: ((error: unknown) => void) | undefined,
): Promise<readonly Value[]> {
  try {
    return await ask()
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
