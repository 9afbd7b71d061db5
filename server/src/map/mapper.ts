import type { MapRequest } from 'bowline/contract/map'
import type { Abortable } from 'bowline/kit/abort'
import { uuidV7 } from 'bowline/kit/ids'
import type { Billing } from '../billing/billing.ts'
import type { Prices } from '../billing/prices.ts'
import type { Egress } from '../egress/egress.ts'
import { mapSite, type SiteMap } from './map-site.ts'
import type { RenderPage } from './render-start-page.ts'

/** A map to create. */
export interface MapInput {
  readonly teamId: string
  readonly apiKeyId: string
  readonly request: MapRequest
}

/** Creates and bills maps. Disposing aborts running requests. */
export interface Mapper extends AsyncDisposable {
  /**
   * Creates a map. Throws INSUFFICIENT_CREDITS before any work, and like `mapSite`. A failed map
   * costs nothing.
   */
  readonly map: (input: MapInput, options?: Abortable) => Promise<SiteMap & { readonly id: string }>
}

/** Dependencies of a `Mapper`. */
export interface MapperDeps {
  readonly billing: Pick<Billing, 'reserve' | 'settle'>
  readonly egress: Pick<Egress, 'createDispatcher'>
  readonly prices: Pick<Prices, 'mapCall'>
  /** Default: start pages without links before their scripts run have none. */
  readonly renderPage?: RenderPage | undefined
}

/** Opens a mapper with its own connection pool. */
export function openMapper({ billing, egress, prices, renderPage }: MapperDeps): Mapper {
  const dispatcher = egress.createDispatcher()
  return {
    map: async ({ request, ...payer }, options) => {
      const id = uuidV7()
      const credits = prices.mapCall
      await using hold = await billing.reserve({ teamId: payer.teamId, credits })
      const site = await mapSite(dispatcher, request, { ...options, renderPage })
      await billing.settle(hold, { ...payer, kind: 'map', subjectId: id, credits })
      return { id, ...site }
    },
    [Symbol.asyncDispose]: async () => dispatcher.destroy(),
  }
}
