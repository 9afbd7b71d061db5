import type { SearchRequest, SearchResponse } from 'bowline/contract/search'
import { v1Search } from '../../compat/v1-search.ts'
import { searchAndScrape, type SearchAndScrapeDeps } from '../../search/search-and-scrape.ts'
import { abortOnDisconnect } from '../disconnect-signal.ts'
import type { Call, Handlers } from '../register.ts'

/** Routes of searches. */
export function searchHandlers(deps: SearchAndScrapeDeps): Handlers {
  const search = async (request: SearchRequest, { key, raw, baseUrl }: Call): Promise<SearchResponse> => {
    using caller = abortOnDisconnect(raw)
    return searchAndScrape(deps, { request, teamId: key.teamId, apiKeyId: key.id, baseUrl, signal: caller.signal })
  }
  return {
    search: async ({ body }, call) => search(body, call),
    searchV1: async ({ body }, call) => v1Search.response(await search(v1Search.request(body), call), body),
  }
}
