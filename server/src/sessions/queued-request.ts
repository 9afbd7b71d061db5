import type { QueueProgress } from 'bowline/contract/queue-progress'
import { isBowlineError, type BowlineError } from 'bowline/kit/errors'
import { describeLimit, limitedByOf, type LimitedBy } from './concurrency-limit.ts'

/** A request for a session that waits for a slot. */
export interface QueuedRequest<Result> {
  readonly teamId: string
  readonly apiKeyId: string
  /** Requests of a team with the same idempotency key have the same session. */
  readonly idempotencyKey: string | undefined
  /** CONCURRENCY_LIMIT, the reason why it waits. */
  readonly refusal: BowlineError
  readonly waitMs: number
  /** Aborting removes the request from the queue. */
  readonly signal: AbortSignal
  /**
   * Creates the session. Throws CONCURRENCY_LIMIT if there is still no slot. Calls `onAdmitted` as
   * soon as it has one.
   */
  readonly attempt: (onAdmitted: () => void) => Promise<Result>
  /**
   * Creates the session on another server, and waits there for a slot for up to `leftMs`. Called
   * when this server drains.
   */
  readonly handOver: (leftMs: number) => Promise<Result>
  /** Throws if the API key may no longer create sessions. */
  readonly assertAllowed: () => Promise<void>
  /** Called with the first position and with every later one. */
  readonly onProgress?: ((progress: QueueProgress) => void) | undefined
}

/** How a request left the queue. */
export type QueueOutcome = 'created' | 'timeout' | 'cancelled' | 'error'

/** A request in the queue, until its session is created or its wait has ended. */
export class Waiter<Result = unknown> {
  readonly request: QueuedRequest<Result>
  readonly enteredAtMs = performance.now()
  readonly result: Promise<Result>
  readonly #result = Promise.withResolvers<Result>()
  #refusal: BowlineError
  #isTrying = false
  #mustHandOver = false
  #end: { readonly outcome: QueueOutcome; readonly error: unknown } | undefined
  #outcome: QueueOutcome = 'error'
  #progress = ''

  constructor(request: QueuedRequest<Result>) {
    this.request = request
    this.#refusal = request.refusal
    this.result = this.#result.promise
  }

  /** Whether an attempt is in progress. It is then not ended, because it may have a session. */
  get isTrying(): boolean {
    return this.#isTrying
  }

  /** Why the last attempt was refused. */
  get refusal(): BowlineError {
    return this.#refusal
  }

  get limitedBy(): LimitedBy {
    return limitedByOf(this.#refusal) ?? 'server'
  }

  get outcome(): QueueOutcome {
    return this.#outcome
  }

  /**
   * Tries to create the session. Returns the limit that refused it, or `undefined`. Never rejects.
   */
  async try(onAdmitted: () => void): Promise<LimitedBy | undefined> {
    this.#isTrying = true
    try {
      this.#result.resolve(await this.request.attempt(onAdmitted))
      this.#outcome = 'created'
      return undefined
    } catch (error) {
      const limit = limitedByOf(error)
      // The session may have been refused because this server drains.
      if (this.#mustHandOver && this.#end === undefined && (limit !== undefined || isDraining(error))) {
        void this.#handOver()
        return undefined
      }
      if (limit !== undefined && this.#end === undefined) {
        this.#refusal = error as BowlineError
        return limit
      }
      this.#settle(this.#end ?? { outcome: this.request.signal.aborted ? 'cancelled' : 'error', error })
      return undefined
    } finally {
      this.#isTrying = false
    }
  }

  /** Passes the request to another server. During an attempt: once the attempt is refused. */
  startHandOver(): void {
    if (this.#isTrying) this.#mustHandOver = true
    else void this.#handOver()
  }

  /** Ends the wait with an error. During an attempt: once the attempt is refused. */
  end(outcome: QueueOutcome, error: unknown): void {
    this.#end ??= { outcome, error }
    if (!this.#isTrying) this.#settle(this.#end)
  }

  /** The error of a wait that has taken too long. */
  timeoutError(progress: QueueProgress): BowlineError {
    const message = `${this.#refusal.message.replace(/\.$/, '')}. No slot became free within ${this.request.waitMs / 1000} s.`
    return describeLimit(this.#refusal, progress, { message, hint: 'Delete a session, or wait longer.' })
  }

  /** Reports a changed position to the client. */
  report(progress: QueueProgress): void {
    const text = `${progress.position} ${progress.estimatedSeconds === null}`
    if (text === this.#progress) return
    this.#progress = text
    this.request.onProgress?.(progress)
  }

  async #handOver(): Promise<void> {
    this.#isTrying = true
    const leftMs = this.enteredAtMs + this.request.waitMs - performance.now()
    try {
      this.#result.resolve(await this.request.handOver(leftMs))
      this.#outcome = 'created'
    } catch (error) {
      this.#settle(this.#end ?? { outcome: 'error', error })
    }
  }

  #settle({ outcome, error }: { readonly outcome: QueueOutcome; readonly error: unknown }): void {
    this.#outcome = outcome
    this.#result.reject(error)
  }
}

function isDraining(error: unknown): boolean {
  return isBowlineError(error) && error.code === 'DRAINING'
}
