import type { Delivery, ListDeliveriesOptions } from '../contract/webhooks.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/**
 * Lists and redelivers webhook events, and manages the signing secret.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * console.log(await bowline.webhooks.makeSecret()) // signs all later deliveries
 * for await (const delivery of bowline.webhooks.deliveries()) console.log(delivery.id)
 * ```
 */
export interface Webhooks {
  /**
   * Lists the deliveries of the last seven days, newest first. Pages of `limit` deliveries are
   * fetched as the iteration proceeds.
   */
  readonly deliveries: (
    options?: Omit<ListDeliveriesOptions, 'cursor'>,
    requestOptions?: Abortable,
  ) => AsyncIterable<Delivery>
  /** Returns a delivery with its attempts and `payload`. Rejects with DELIVERY_NOT_FOUND. */
  readonly get: (id: string, requestOptions?: Abortable) => Promise<Delivery>
  /**
   * Sends a delivery again. Rejects with DELIVERY_NOT_FOUND, with DELIVERY_GONE, and with CONFLICT
   * while the delivery is in progress.
   */
  readonly redeliver: (id: string, requestOptions?: Abortable) => Promise<Delivery>
  /**
   * Creates a secret that signs deliveries from now on, and returns it this one time. Requires an
   * admin key.
   */
  readonly makeSecret: (requestOptions?: Abortable) => Promise<string>
  /** Deletes the signing secret. Requires an admin key. */
  readonly deleteSecret: (requestOptions?: Abortable) => Promise<void>
}

/** Creates `bowline.webhooks`. */
export function createWebhooks(call: Call): Webhooks {
  return {
    async *deliveries(options = {}, requestOptions = {}) {
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await call('listDeliveries', { query: { ...options, cursor } }, requestOptions)
        yield* page.data
        cursor = page.cursor
      }
    },
    get: async (id, requestOptions = {}) => (await call('getDelivery', { params: { id } }, requestOptions)).data,
    redeliver: async (id, requestOptions = {}) => (await call('redeliver', { params: { id } }, requestOptions)).data,
    makeSecret: async (requestOptions = {}) => (await call('makeWebhookSecret', {}, requestOptions)).secret,
    deleteSecret: async (requestOptions = {}) => {
      await call('deleteWebhookSecret', {}, requestOptions)
    },
  }
}
