import type { SearchRequest, SearchResponse } from 'bowline/contract/search'
import { searchV1 } from '../../compat/search.ts'
import { runSearch, type SearchWorks } from '../../search/run-search.ts'
import { untilCallerLeaves } from '../caller.ts'
import type { Call, Handlers } from '../register.ts'

/** The routes of searches. */
export function searchRoutes(works: SearchWorks): Handlers {
  const search = async (request: SearchRequest, { key, raw, baseUrl }: Call): Promise<SearchResponse> => {
    using caller = untilCallerLeaves(raw)
    return runSearch(works, { request, teamId: key.teamId, apiKeyId: key.id, baseUrl, signal: caller.signal })
  }
  return {
    search: async ({ body }, call) => search(body, call),
    searchV1: async ({ body }, call) => searchV1.response(await search(searchV1.request(body), call), body),
  }
}
