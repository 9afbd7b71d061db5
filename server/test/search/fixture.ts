import type { ProviderQuery } from '../../src/search/provider.ts'
import { parseQuery } from '../../src/search/parse-query.ts'

/** A wish for web results, with a query in words. */
export function wishFor(query: string, { teamId = 'nobody', ...changes }: Partial<ProviderQuery> = {}): ProviderQuery {
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
