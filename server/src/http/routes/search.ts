import type { SearchRequest, SearchResponse } from 'bowline/contract/search'
import { v1Search } from '../../compat/v1-search.ts'
import type { Scrapes } from '../../scrape/scrapes.ts'
import { searchAndScrape, type SearchAndScrapeDeps } from '../../search/search-and-scrape.ts'
import { abortOnDisconnect } from '../disconnect-signal.ts'
import type { Call, Handlers } from '../register.ts'

/** Dependencies of the search routes. */
export interface SearchRouteDeps extends SearchAndScrapeDeps {
  readonly scrapes: Pick<Scrapes, 'check'>
}

/** Routes of searches. */
export function searchHandlers({ scrapes, ...deps }: SearchRouteDeps): Handlers {
  const search = async (request: SearchRequest, { key, raw, baseUrl }: Call): Promise<SearchResponse> => {
    const { scrapeOptions } = request
    // Before the search is billed.
    if (scrapeOptions !== undefined) scrapes.check({ ...scrapeOptions, url: '' })
    using caller = abortOnDisconnect(raw)
    return searchAndScrape(deps, { request, teamId: key.teamId, apiKeyId: key.id, baseUrl, signal: caller.signal })
  }
  return {
    search: async ({ body }, call) => search(body, call),
    searchV1: async ({ body }, call) => v1Search.response(await search(v1Search.request(body), call), body),
  }
}
