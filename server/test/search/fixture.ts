import type { ProviderQuery } from '../../src/search/provider.ts'
import { parseQuery } from '../../src/search/parse-query.ts'

/** A request for web results with the given words. */
export function webQuery(
  query: string,
  { teamId = 'no-team', ...changes }: Partial<ProviderQuery> = {},
): ProviderQuery {
  return {
    teamId,
    source: 'web',
    clauses: parseQuery(query),
    includeDomains: [],
    excludeDomains: [],
    categories: [],
    range: undefined,
    language: 'en',
    country: undefined,
    safe: undefined,
    limit: 10,
    ...changes,
  }
}

/** A signal that never aborts. */
export const noSignal = new AbortController().signal
