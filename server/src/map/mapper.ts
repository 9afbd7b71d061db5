import type { MapRequest } from 'bowline/contract/map'
import type { Abortable } from 'bowline/kit/abort'
import { uuidV7 } from 'bowline/kit/ids'
import type { Egress } from '../egress/egress.ts'
import { chargeOnce, refund } from '../store/charges.ts'
import type { Store } from '../store/store.ts'
import type { Prices } from '../usage/prices.ts'
import { insufficientCredits } from '../usage/work-permits.ts'
import { mapSite, type SiteMap } from './map-site.ts'
import type { ShowPage } from './show-start.ts'

/** Who asks for a map, and what for. */
export interface MapOrder {
  readonly teamId: string
  readonly apiKeyId: string
  readonly request: MapRequest
}

/** Makes maps and bills them. Disposing drops what is being fetched. */
export interface Mapper extends AsyncDisposable {
  /** Makes a map. Throws INSUFFICIENT_CREDITS before any work, and as `mapSite` does; a map that fails costs nothing. */
  readonly map: (order: MapOrder, options?: Abortable) => Promise<SiteMap & { readonly id: string }>
}

/** What a mapper works with. */
export interface MapperDeps {
  readonly store: Store
  readonly egress: Pick<Egress, 'createDispatcher'>
  readonly prices: Pick<Prices, 'mapCall'>
  /** Default: start pages that are empty before their scripts run have no links. */
  readonly showPage?: ShowPage | undefined
}

/** Opens a mapper with connections of its own. */
export function openMapper({ store, egress, prices, showPage }: MapperDeps): Mapper {
  const dispatcher = egress.createDispatcher()
  return {
    map: async ({ request, ...payer }, options) => {
      const bill = { ...payer, kind: 'map', subjectId: uuidV7(), credits: prices.mapCall }
      const charge = await chargeOnce(store.db, bill)
      if (charge.outcome === 'insufficient-credits') {
        throw insufficientCredits(prices.mapCall, charge.available)
      }
      try {
        return { id: bill.subjectId, ...(await mapSite(dispatcher, request, { ...options, showPage })) }
      } catch (error) {
        await refund(store.db, bill)
        throw error
      }
    },
    [Symbol.asyncDispose]: async () => dispatcher.destroy(),
  }
}
