import type { MapRequest } from 'bowline/contract/map'
import type { Abortable } from 'bowline/kit/abort'
import { uuidV7 } from 'bowline/kit/ids'
import type { Egress } from '../egress/egress.ts'
import { chargeUpfront, refund } from '../store/prepaid-charges.ts'
import type { Store } from '../store/store.ts'
import type { Prices } from '../usage/prices.ts'
import { insufficientCredits } from '../usage/work-permits.ts'
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
  readonly store: Store
  readonly egress: Pick<Egress, 'createDispatcher'>
  readonly prices: Pick<Prices, 'mapCall'>
  /** Default: start pages without links before their scripts run have none. */
  readonly renderPage?: RenderPage | undefined
}

/** Opens a mapper with a connection pool of its own. */
export function openMapper({ store, egress, prices, renderPage }: MapperDeps): Mapper {
  const dispatcher = egress.createDispatcher()
  return {
    map: async ({ request, ...payer }, options) => {
      const bill = { ...payer, kind: 'map', subjectId: uuidV7(), credits: prices.mapCall }
      const charge = await chargeUpfront(store.db, bill)
      if (charge.outcome === 'insufficient-credits') {
        throw insufficientCredits(prices.mapCall, charge.available)
      }
      try {
        return { id: bill.subjectId, ...(await mapSite(dispatcher, request, { ...options, renderPage })) }
      } catch (error) {
        await refund(store.db, bill)
        throw error
      }
    },
    [Symbol.asyncDispose]: async () => dispatcher.destroy(),
  }
}
