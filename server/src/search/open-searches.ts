import { BowlineError } from 'bowline/kit/errors'
import type { Store } from '../store/store.ts'
import type { Billing } from '../billing/billing.ts'
import type { Prices } from '../billing/prices.ts'
import { createBraveProvider } from './brave-provider.ts'
import { createIndexProvider } from './index-provider.ts'
import { PageIndexer } from './page-indexer.ts'
import type { SearchProvider } from './provider.ts'
import { Searches } from './searches.ts'
import { createSearxngProvider } from './searxng-provider.ts'

/** Search settings. */
export interface SearchSettings {
  /** Default: the configured provider, otherwise the index. */
  readonly search?: SearchProvider['name'] | undefined
  readonly searxngUrl?: string | undefined
  readonly braveKey?: string | undefined
  readonly braveUrl: string
  readonly searchPages: number
}

/** Dependencies of the search. */
export interface OpenSearchesDeps {
  readonly store: Store
  readonly billing: Billing
  readonly prices: Prices
  readonly onError: (error: unknown, action: string) => void
}

/** The search, and the index if this server fills it. */
export interface OpenSearches {
  readonly searches: Searches
  readonly index: PageIndexer | undefined
}

/**
 * Opens the search and adds it to `resources`. Throws CONFIG_INVALID if a provider setting is
 * missing.
 */
export function openSearches(
  resources: AsyncDisposableStack,
  settings: SearchSettings,
  deps: OpenSearchesDeps,
): OpenSearches {
  const name = nameOf(settings)
  // Pages are indexed only if the provider is `index` and `searchPages` is above 0.
  const isIndexed = name === 'index' && settings.searchPages > 0
  const index = isIndexed ? resources.use(new PageIndexer({ ...deps, maxPages: settings.searchPages })) : undefined
  return { searches: new Searches({ ...deps, provider: createProvider(name, settings, deps.store, index) }), index }
}

function nameOf({ search, braveKey, searxngUrl }: SearchSettings): SearchProvider['name'] {
  const configured = braveKey !== undefined ? 'brave' : searxngUrl !== undefined ? 'searxng' : 'index'
  return search ?? configured
}

function createProvider(
  name: SearchProvider['name'],
  { searxngUrl, braveKey: key, braveUrl: url }: SearchSettings,
  store: Store,
  index: PageIndexer | undefined,
): SearchProvider {
  switch (name) {
    case 'brave':
      if (key !== undefined) return createBraveProvider({ url, key })
      throw new BowlineError('CONFIG_INVALID', 'The search provider "brave" requires an API key. Set --brave-key')
    case 'searxng':
      if (searxngUrl !== undefined) return createSearxngProvider(searxngUrl)
      throw new BowlineError('CONFIG_INVALID', 'The search provider "searxng" requires a URL. Set --searxng-url')
    case 'index':
      return createIndexProvider(store, index)
    default:
      return name satisfies never
  }
}
