import type { Delivery, ListDeliveriesOptions } from '../contract/webhooks.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/** What the jobs of a team have sent to webhooks. */
export interface Webhooks {
  /** Deliveries of the last seven days, newest first, read page by page as the loop asks for them. `limit`: those of one page. */
  readonly deliveries: (options?: Omit<ListDeliveriesOptions, 'cursor'>, how?: Abortable) => AsyncIterable<Delivery>
  /** One delivery with its tries and its `payload`. Rejects with DELIVERY_NOT_FOUND. */
  readonly get: (id: string, how?: Abortable) => Promise<Delivery>
  /** Sends a delivery again. Rejects with DELIVERY_NOT_FOUND, DELIVERY_GONE, or CONFLICT while it is on its way. */
  readonly redeliver: (id: string, how?: Abortable) => Promise<Delivery>
  /** Makes a new secret that signs deliveries from now on, and answers it this once. Takes an admin key. */
  readonly makeSecret: (how?: Abortable) => Promise<string>
  /** Removes the secret. Takes an admin key. */
  readonly deleteSecret: (how?: Abortable) => Promise<void>
}

/** Makes the `webhooks` of a client. */
export function createWebhooks(call: Call): Webhooks {
  return {
    async *deliveries(options = {}, how = {}) {
      for (let cursor: string | null | undefined; cursor !== null;) {
        const page = await call('listDeliveries', { query: { ...options, cursor } }, how)
        yield* page.data
        cursor = page.cursor
      }
    },
    get: async (id, how = {}) => (await call('getDelivery', { params: { id } }, how)).data,
    redeliver: async (id, how = {}) => (await call('redeliver', { params: { id } }, how)).data,
    makeSecret: async (how = {}) => (await call('makeWebhookSecret', {}, how)).secret,
    deleteSecret: async (how = {}) => {
      await call('deleteWebhookSecret', {}, how)
    },
  }
}
