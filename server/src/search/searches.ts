import type { SearchRequest } from 'bowline/contract/search'
import { pageUrl } from 'bowline/contract/page-url'
import { readTimeRange } from 'bowline/contract/time-range'
import { abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import type { Billing } from '../billing/billing.ts'
import { Hold } from '../billing/hold.ts'
import { priceOfSearch, type Prices } from '../billing/prices.ts'
import { toCategory } from './categories.ts'
import { countryOf } from './country.ts'
import { parseQuery } from './parse-query.ts'
import type { Result, SearchProvider, ProviderQuery, Source } from './provider.ts'

/** Parameters of a search. */
export interface SearchParams {
  readonly teamId: string
  readonly apiKeyId: string
  readonly request: SearchRequest
}

/** Results of a search, before they are scraped. */
export interface SearchOutcome {
  readonly id: string
  /** By source, in the order of the request. */
  readonly results: ReadonlyMap<Source, readonly Result[]>
  readonly warnings: readonly string[]
  readonly credits: number
}

/** Dependencies of the search. */
export interface SearchesDeps {
  readonly billing: Pick<Billing, 'tryReserve' | 'settle'>
  readonly provider: SearchProvider
  readonly prices: Pick<Prices, 'tenResults'>
}

/** Runs searches and bills them by the number of results. Failed searches cost nothing. */
export class Searches {
  readonly #deps: SearchesDeps

  constructor(deps: SearchesDeps) {
    this.#deps = deps
  }

  /**
   * Searches and bills the team. Throws INSUFFICIENT_CREDITS before any work, SEARCH_FAILED,
   * BAD_REQUEST, or the signal's reason.
   */
  async searchAndBill(params: SearchParams, signal: AbortSignal): Promise<SearchOutcome> {
    const { teamId, apiKeyId } = params
    const reserved = await this.#reserve(params)
    await using hold = reserved.hold
    const { results, warnings } = await this.#searchSources(params, reserved.limit, signal)
    const id = uuidV7()
    const credits = this.price(countOf(results))
    if (credits > 0) await this.#deps.billing.settle(hold, { teamId, apiKeyId, kind: 'search', subjectId: id, credits })
    return { id, results, warnings: [...reserved.warnings, ...warnings], credits }
  }

  /** Price of a number of results, in credits. */
  price(results: number): number {
    return priceOfSearch(this.#deps.prices, results)
  }

  /**
   * Searches without billing; the caller bills. Throws SEARCH_FAILED, BAD_REQUEST, or the signal's
   * reason.
   */
  async searchUnbilled(params: SearchParams, signal: AbortSignal): Promise<Omit<SearchOutcome, 'id'>> {
    const found = await this.#searchSources(params, params.request.limit, signal)
    return { ...found, credits: this.price(countOf(found.results)) }
  }

  /** Reserves the maximum price. Lowers the limit if the team has too few credits. */
  async #reserve({ teamId, request }: SearchParams): Promise<{
    readonly hold: Hold
    readonly limit: number
    readonly warnings: readonly string[]
  }> {
    const { billing, prices } = this.#deps
    const sources = request.sources.length
    const credits = this.price(request.limit * sources)
    const full = await billing.tryReserve({ teamId, credits })
    if (full instanceof Hold) return { hold: full, limit: request.limit, warnings: [] }
    const available = full.outcome === 'insufficient-credits' ? full.available : 0
    const limit = Math.min(request.limit, Math.floor((Math.floor(available / prices.tenResults) * 10) / sources))
    const reduced = limit < 1 ? full : await billing.tryReserve({ teamId, credits: this.price(limit * sources) })
    if (!(reduced instanceof Hold)) {
      const message = `Insufficient credits to perform this request. It costs up to ${credits} for ${request.limit} results of each source, and ${available} are available`
      throw new BowlineError('INSUFFICIENT_CREDITS', message)
    }
    return { hold: reduced, limit, warnings: [`The team has credits for only ${limit} results of each source.`] }
  }

  async #searchSources(
    { teamId, request }: SearchParams,
    limit: number,
    signal: AbortSignal,
  ): Promise<Pick<SearchOutcome, 'results' | 'warnings'>> {
    const { provider } = this.#deps
    const warnings = new Set<string>()
    const lists = await Promise.all(
      request.sources.map(async (source): Promise<readonly [Source, readonly Result[]]> => {
        if (!provider.sources.includes(source.type)) {
          warnings.add(`${names[provider.name]} does not provide ${source.type} results.`)
          return [source.type, []]
        }
        const { providerQuery, warning } = toProviderQuery(request, source, { teamId, limit })
        if (warning !== undefined) warnings.add(warning)
        if (providerQuery.clauses.some(({ ignoresOr }) => ignoresOr)) warnings.add(ignoredOrWarning)
        if (provider.name === 'index' && (source.location ?? request.location ?? request.country) !== undefined) {
          warnings.add('The search index of this server does not support locations and countries.')
        }
        const found = await abortable(provider.search(providerQuery, signal), signal)
        for (const each of found.warnings) warnings.add(each)
        return [source.type, keepScrapable(request, found.results).slice(0, limit)]
      }),
    )
    return { results: new Map(lists), warnings: [...warnings] }
  }
}

function countOf(results: SearchOutcome['results']): number {
  return [...results.values()].reduce((sum, each) => sum + each.length, 0)
}

const ignoredOrWarning =
  '`OR` joins words and phrases, sites, or file types. Elsewhere it was ignored, so results match the conditions on both sides.'

const names = { index: 'The search index of this server', searxng: 'SearXNG', brave: 'Brave Search' } as const

function keepScrapable({ ignoreInvalidURLs }: SearchRequest, results: readonly Result[]): readonly Result[] {
  return ignoreInvalidURLs ? results.filter(({ url }) => pageUrl.safeParse(url).success) : results
}

function toProviderQuery(
  request: SearchRequest,
  source: SearchRequest['sources'][number],
  { teamId, limit }: { readonly teamId: string; readonly limit: number },
): { readonly providerQuery: ProviderQuery; readonly warning: string | undefined } {
  const clauses = parseQuery(request.query)
  if (clauses.length === 0) {
    throw new BowlineError('BAD_REQUEST', `The query ${JSON.stringify(request.query)} contains no search terms`, {
      hint: 'Add a word, or an operator with a value such as site:example.com.',
    })
  }
  const tbs = source.tbs ?? request.tbs
  const location = source.location ?? request.location
  const named = location === undefined ? undefined : countryOf(location)
  const isUnknown = location !== undefined && named === undefined
  const providerQuery = {
    teamId,
    source: source.type,
    clauses,
    includeDomains: request.includeDomains ?? [],
    excludeDomains: request.excludeDomains ?? [],
    categories: (request.categories ?? []).map(toCategory),
    range: tbs === undefined ? undefined : readTimeRange(tbs),
    language: request.lang,
    country: named ?? request.country,
    safe: safetyOf(request.safe),
    highlights: request.highlights,
    limit,
  }
  return {
    providerQuery,
    warning: isUnknown ? `The location "${location}" does not name a known country and was ignored.` : undefined,
  }
}

function safetyOf(safe: SearchRequest['safe']): ProviderQuery['safe'] {
  if (safe === undefined) return undefined
  if (safe === true || safe === 'active') return 'strict'
  return safe === false ? 'off' : safe
}
