import type { LiveSession } from './live-session.ts'

/** How long a repeated request may still claim a session whose first answer was lost, in milliseconds. */
const graceMs = 2000

interface Delivery {
  /** Requests whose answer names the session and was delivered, or still may be. */
  holders: number
  timer: NodeJS.Timeout | undefined
}

/** Finds the sessions that nobody knows of, because whoever asked for them had left before the answer. */
export class Deliveries {
  readonly #deliveries = new Map<string, Delivery>()
  readonly #abandon: (session: LiveSession) => void

  /** `abandon` is called with each session that nobody knows of and nobody has used. */
  constructor(abandon: (session: LiveSession) => void) {
    this.#abandon = abandon
  }

  /** Notes a request that is answered with the session; `delivered` tells whether the answer arrived. */
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
    void delivered.then((isDelivered) => isDelivered || this.revoke(session))
  }

  /** Notes that an answer with the session did not arrive after all, such as behind another server. */
  revoke(session: LiveSession): void {
    const delivery = this.#deliveries.get(session.row.id)
    if (delivery === undefined || session.ended.aborted) return
    delivery.holders -= 1
    if (delivery.holders > 0) return
    clearTimeout(delivery.timer)
    // Without an idempotency key nobody can ask for it again.
    const waitMs = session.row.idempotencyKey === undefined ? 0 : graceMs
    delivery.timer = setTimeout(() => session.lastUseMs() > 0 || this.#abandon(session), waitMs).unref()
  }
}
