import type { SearchRequest } from 'bowline/contract/search'
import { pageUrl } from 'bowline/contract/page-url'
import { readTimeRange } from 'bowline/contract/time-range'
import { abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import { chargeOnce, lowerCharge, refund, type Charge } from '../store/charges.ts'
import type { Store } from '../store/store.ts'
import { priceOfSearch, type Prices } from '../usage/prices.ts'
import { toCategory } from './categories.ts'
import { countryOf } from './country.ts'
import { parseQuery } from './parse-query.ts'
import type { Result, SearchProvider, SearchWish, Source } from './provider.ts'

/** Who searches, and for what. */
export interface SearchOrder {
  readonly teamId: string
  readonly apiKeyId: string
  readonly request: SearchRequest
}

/** What a search came to, before anything is scraped. */
export interface SearchOutcome {
  readonly id: string
  /** By source, in the order asked for. */
  readonly results: ReadonlyMap<Source, readonly Result[]>
  readonly warnings: readonly string[]
  readonly credits: number
}

/** What searches are made with. */
export interface SearchesDeps {
  readonly store: Store
  readonly provider: SearchProvider
  readonly prices: Pick<Prices, 'tenResults'>
}

/** Searches and bills: by the results that were found, and nothing when it fails. */
export class Searches {
  readonly #deps: SearchesDeps

  constructor(deps: SearchesDeps) {
    this.#deps = deps
  }

  /** Throws SEARCH_FAILED, INSUFFICIENT_CREDITS before any work, BAD_REQUEST, or the signal's reason. */
  async search(order: SearchOrder, signal: AbortSignal): Promise<SearchOutcome> {
    const { store, prices } = this.#deps
    const paid = await this.#charge(order)
    try {
      const { results, warnings } = await this.#ask(order, paid.limit, signal)
      const count = [...results.values()].reduce((sum, each) => sum + each.length, 0)
      const credits = priceOfSearch(prices, count)
      await lowerCharge(store.db, { ...paid.charge, credits })
      return { id: paid.charge.subjectId, results, warnings: [...paid.warnings, ...warnings], credits }
    } catch (error) {
      await refund(store.db, paid.charge)
      throw error
    }
  }

  /** What so many results cost. */
  price(results: number): number {
    return priceOfSearch(this.#deps.prices, results)
  }

  /** Searches for somebody who bills: nothing is charged here. Throws SEARCH_FAILED, BAD_REQUEST, or the signal's reason. */
  async find(order: SearchOrder, signal: AbortSignal): Promise<Omit<SearchOutcome, 'id'>> {
    const found = await this.#ask(order, order.request.limit, signal)
    const count = [...found.results.values()].reduce((sum, each) => sum + each.length, 0)
    return { ...found, credits: this.price(count) }
  }

  /** Takes what all results would cost. A team that has less searches for fewer. */
  async #charge({ teamId, apiKeyId, request }: SearchOrder): Promise<{
    readonly charge: Charge
    readonly limit: number
    readonly warnings: readonly string[]
  }> {
    const { store, prices } = this.#deps
    const sources = request.sources.length
    const charge = { teamId, apiKeyId, kind: 'search', subjectId: uuidV7() }
    const whole = { ...charge, credits: priceOfSearch(prices, request.limit * sources) }
    const outcome = await chargeOnce(store.db, whole)
    if (outcome.outcome === 'charged') return { charge: whole, limit: request.limit, warnings: [] }
    const { available } = outcome
    const limit = Math.min(request.limit, Math.floor((Math.floor(available / prices.tenResults) * 10) / sources))
    const less = { ...charge, credits: priceOfSearch(prices, limit * sources) }
    if (limit < 1 || (await chargeOnce(store.db, less)).outcome !== 'charged') {
      const message = `Insufficient credits to perform this request. It costs up to ${whole.credits} for ${request.limit} results of each source, and ${available} are available`
      throw new BowlineError('INSUFFICIENT_CREDITS', message)
    }
    return { charge: less, limit, warnings: [`The credits of the team are enough for ${limit} results.`] }
  }

  async #ask(
    { teamId, request }: SearchOrder,
    limit: number,
    signal: AbortSignal,
  ): Promise<Pick<SearchOutcome, 'results' | 'warnings'>> {
    const { provider } = this.#deps
    const warnings = new Set<string>()
    const lists = await Promise.all(
      request.sources.map(async (source): Promise<readonly [Source, readonly Result[]]> => {
        if (!provider.sources.includes(source.type)) {
          warnings.add(`${names[provider.name]} has no ${source.type}.`)
          return [source.type, []]
        }
        const { wish, warning } = toWish(request, source, { teamId, limit })
        if (warning !== undefined) warnings.add(warning)
        if (provider.name === 'index' && (source.location ?? request.location) !== undefined) {
          warnings.add('The search index of this server knows no places.')
        }
        const found = await abortable(provider.search(wish, signal), signal)
        for (const each of found.warnings) warnings.add(each)
        return [source.type, keepScrapable(request, found.results).slice(0, limit)]
      }),
    )
    return { results: new Map(lists), warnings: [...warnings] }
  }
}

const names = { index: 'The search index of this server', searxng: 'SearXNG', brave: 'Brave Search' } as const

function keepScrapable({ ignoreInvalidURLs }: SearchRequest, results: readonly Result[]): readonly Result[] {
  return ignoreInvalidURLs ? results.filter(({ url }) => pageUrl.safeParse(url).success) : results
}

function toWish(
  request: SearchRequest,
  source: SearchRequest['sources'][number],
  { teamId, limit }: { readonly teamId: string; readonly limit: number },
): { readonly wish: SearchWish; readonly warning: string | undefined } {
  const clauses = parseQuery(request.query)
  if (clauses.length === 0) {
    throw new BowlineError('BAD_REQUEST', `The query ${JSON.stringify(request.query)} has no words`, {
      hint: 'Name a word to look for, or an operator with its value, such as site:example.com.',
    })
  }
  const tbs = source.tbs ?? request.tbs
  const location = source.location ?? request.location
  const named = location === undefined ? undefined : countryOf(location)
  const isUnknown = location !== undefined && named === undefined
  const wish = {
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
    limit,
  }
  return { wish, warning: isUnknown ? `The location "${location}" names no known country.` : undefined }
}

function safetyOf(safe: SearchRequest['safe']): SearchWish['safe'] {
  if (safe === undefined) return undefined
  if (safe === true || safe === 'active') return 'strict'
  return safe === false ? 'off' : safe
}
