import type { NewsResult, SearchRequest, SearchResponse, WebResult } from 'bowline/contract/search'
import { mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { BilledScrapes } from '../scrape/billed-scrapes.ts'
import type { ScrapeOutcome } from '../scrape/priced-scrape.ts'
import { categoryOf, toCategory } from './categories.ts'
import type { Result, Source } from './provider.ts'
import { scrapeResults } from './scrape-results.ts'
import type { Searches, SearchParams, SearchOutcome } from './searches.ts'

/** Dependencies of `searchAndScrape`. */
export interface SearchAndScrapeDeps {
  readonly searches: Searches
  readonly billedScrapes: BilledScrapes
}

/** Parameters of `searchAndScrape`. */
export interface SearchAndScrapeParams extends SearchParams {
  /** Public URL of this server without a trailing slash. */
  readonly baseUrl: string
  /** Aborts the search. Results are not billed then, but finished scrapes are. */
  readonly signal: AbortSignal
}

type Scraped = ReadonlyMap<string, Pick<ScrapeOutcome, 'document' | 'credits'>>

/**
 * Searches, and scrapes the results if a format is requested. Throws what `searchAndBill` of
 * `Searches` throws, and SEARCH_TIMEOUT if the search times out. Pages that were not scraped in
 * time have an error in their metadata.
 */
export async function searchAndScrape(
  deps: SearchAndScrapeDeps,
  params: SearchAndScrapeParams,
): Promise<SearchResponse> {
  const { request } = params
  const signal = mergeSignals(params.signal, timeoutSignal(request.timeout))
  const outcome = await deps.searches.searchAndBill(params, signal)
  const scraped = await scrapeFound(deps, params, outcome, signal)
  params.signal.throwIfAborted()
  const creditsUsed = [...scraped.values()].reduce((sum, { credits }) => sum + credits, outcome.credits)
  const warning = warningOf(request, outcome, scraped)
  return {
    success: true,
    data: dataOf(request, outcome, scraped),
    creditsUsed,
    id: outcome.id,
    ...(warning === '' ? {} : { warning }),
  }
}

function timeoutSignal(timeout: number): AbortSignal {
  const own = new AbortController()
  AbortSignal.timeout(timeout).addEventListener('abort', () =>
    own.abort(new BowlineError('SEARCH_TIMEOUT', `The search timed out after ${timeout} ms`)),
  )
  return own.signal
}

async function scrapeFound(
  { billedScrapes }: SearchAndScrapeDeps,
  { request, teamId, apiKeyId, baseUrl }: SearchAndScrapeParams,
  { results }: SearchOutcome,
  signal: AbortSignal,
): Promise<Scraped> {
  const options = request.scrapeOptions
  if (options === undefined || options.formats.length === 0) return new Map()
  const urls = [...(results.get('web') ?? []), ...(results.get('news') ?? [])].map(({ url }) => url)
  return scrapeResults(urls, {
    scrape: async (call) => billedScrapes.scrape(call),
    options,
    teamId,
    apiKeyId,
    baseUrl,
    signal,
  })
}

function dataOf(request: SearchRequest, { results }: SearchOutcome, scraped: Scraped): SearchResponse['data'] {
  const listOf = <Item>(source: Source, make: (result: Result, position: number) => Item): readonly Item[] =>
    (results.get(source) ?? []).map((result, index) => make(result, index + 1))
  const categories = (request.categories ?? []).map(toCategory)
  const web = (result: Result, position: number): WebResult => {
    const category = categoryOf(result.url, categories)?.name
    const { url, title, description } = result
    const known = { url, title, description, position, ...(category === undefined ? {} : { category }) }
    return { ...scraped.get(url)?.document, ...known }
  }
  const all = { web: listOf('web', web), images: listOf('images', toImage), news: listOf('news', toNews(scraped)) }
  return Object.fromEntries(request.sources.map(({ type }) => [type, all[type]]))
}

function toNews(scraped: Scraped) {
  return ({ url, title, description: snippet, date, imageUrl }: Result, position: number): NewsResult => ({
    ...scraped.get(url)?.document,
    title,
    url,
    snippet,
    ...(date === undefined ? {} : { date: date.toISOString() }),
    ...(imageUrl === undefined ? {} : { imageUrl }),
    position,
  })
}

function toImage({ url, title, imageUrl, imageWidth, imageHeight }: Result, position: number): object {
  return {
    title,
    ...(imageUrl === undefined ? {} : { imageUrl }),
    ...(imageWidth === undefined ? {} : { imageWidth }),
    ...(imageHeight === undefined ? {} : { imageHeight }),
    url,
    position,
  }
}

function warningOf(request: SearchRequest, { results, warnings }: SearchOutcome, scraped: Scraped): string {
  const isEmpty = [...results.values()].every((list) => list.length === 0)
  const documents = [...scraped.values()].map(({ document }) => document)
  const failed = documents.filter(({ metadata }) => metadata['code'] !== undefined).length
  return [
    ...(isEmpty ? ['No search results found.'] : []),
    ...warnings,
    ...(failed === 0
      ? []
      : [`${failed} of ${documents.length} results could not be scraped. See metadata.error of each.`]),
  ].join(' ')
}
