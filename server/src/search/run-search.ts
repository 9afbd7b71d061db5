import type { NewsResult, SearchRequest, SearchResponse, WebResult } from 'bowline/contract/search'
import { BowlineError } from 'bowline/kit/errors'
import type { ScrapeOutcome, Scrapes } from '../scrape/scrapes.ts'
import { categoryOf, toCategory } from './categories.ts'
import type { Result, Source } from './provider.ts'
import { scrapeResults } from './scrape-results.ts'
import type { Searches, SearchOrder, SearchOutcome } from './searches.ts'

/** What searches, and what scrapes the results. */
export interface SearchWorks {
  readonly searches: Searches
  readonly scrapes: Scrapes
}

/** Who searches, for what, and who waits for it. */
export interface SearchCall extends SearchOrder {
  /** Address of this server as its client knows it, without trailing slash. */
  readonly baseUrl: string
  /** Aborting ends the search; what was found is not billed then, what was scraped is. */
  readonly signal: AbortSignal
}

type Scraped = ReadonlyMap<string, Pick<ScrapeOutcome, 'document' | 'credits'>>

/**
 * Searches, and scrapes the results when a format is asked for. Throws as `Searches.search`, and SEARCH_TIMEOUT when the
 * search itself takes too long; pages that were not scraped in time have an error of their own.
 */
export async function runSearch(works: SearchWorks, call: SearchCall): Promise<SearchResponse> {
  const { request } = call
  const signal = AbortSignal.any([call.signal, timeoutSignal(request.timeout)])
  const outcome = await works.searches.search(call, signal)
  const scraped = await scrapeFound(works.scrapes, call, outcome, signal)
  call.signal.throwIfAborted()
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
    own.abort(new BowlineError('SEARCH_TIMEOUT', `The search was not done within its timeout of ${timeout} ms`)),
  )
  return own.signal
}

async function scrapeFound(
  scrapes: Scrapes,
  { request, teamId, apiKeyId, baseUrl }: SearchCall,
  { results }: SearchOutcome,
  signal: AbortSignal,
): Promise<Scraped> {
  const options = request.scrapeOptions
  if (options === undefined || options.formats.length === 0) return new Map()
  const urls = [...(results.get('web') ?? []), ...(results.get('news') ?? [])].map(({ url }) => url)
  return scrapeResults(urls, { scrapes, options, teamId, apiKeyId, baseUrl, signal })
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
    ...(failed === 0 ? [] : [`${failed} of ${documents.length} results were not scraped: see their metadata.error.`]),
  ].join(' ')
}
