import type { LiveSession } from './live-session.ts'

/**
 * Time in which a repeated request can still claim a session whose first response was lost, in
 * milliseconds.
 */
const graceMs = 2000

interface Delivery {
  /** Number of requests whose response contains the session and was delivered, or still may be. */
  holders: number
  timer: NodeJS.Timeout | undefined
}

/**
 * Finds sessions whose URLs no client has received, because the clients that requested them
 * disconnected before the response.
 */
export class UnclaimedSessions {
  readonly #deliveries = new Map<string, Delivery>()
  readonly #abandon: (session: LiveSession) => void

  /** `abandon` is called with each session that no client has received and that was not used. */
  constructor(abandon: (session: LiveSession) => void) {
    this.#abandon = abandon
  }

  /**
   * Tracks a request that returns the session. `delivered` resolves to whether the response was
   * delivered.
   */
  watch(session: LiveSession, delivered: Promise<boolean>): void {
    const { id } = session.row
    const delivery = this.#deliveries.get(id) ?? { holders: 0, timer: undefined }
    if (!this.#deliveries.has(id)) {
      this.#deliveries.set(id, delivery)
      session.ended.addEventListener('abort', () => {
        clearTimeout(delivery.timer)
        this.#deliveries.delete(id)
      })
    }
    delivery.holders += 1
    clearTimeout(delivery.timer)
    void delivered.then((isDelivered) => isDelivered || this.markUndelivered(session))
  }

  /**
   * Records that a response with the session was not delivered after all, for example by a relaying
   * server.
   */
  markUndelivered(session: LiveSession): void {
    const delivery = this.#deliveries.get(session.row.id)
    if (delivery === undefined || session.ended.aborted) return
    delivery.holders -= 1
    if (delivery.holders > 0) return
    clearTimeout(delivery.timer)
    // Without an idempotency key, no request can return the session again.
    const waitMs = session.row.idempotencyKey === undefined ? 0 : graceMs
    delivery.timer = setTimeout(() => session.lastUseMs() > 0 || this.#abandon(session), waitMs).unref()
  }
}
