import { setTimeout as delay } from 'node:timers/promises'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import { longestTimerMs } from 'bowline/kit/longest-timer'
import { admitWork, releaseWork } from '../store/running-work.ts'
import type { Store } from '../store/store.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'

/** Options of `WorkPermits.acquire`. */
export interface PermitRequest {
  readonly teamId: string
  /** Maximum cost of the work. */
  readonly credits: number
  /** Milliseconds to wait for one of the team's concurrency slots. May be `Infinity`. */
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Permission to start work. Disposing releases the reserved credits and slot unless
 * `markBilled` was called.
 */
export interface Permit extends AsyncDisposable {
  /** Id of the hold on credits and a slot. `undefined` if the team has no limits. */
  readonly holdId: string | undefined
  /** Milliseconds spent waiting for a slot. */
  readonly waitedMs: number
  /** Call this after billing has released the hold. */
  readonly markBilled: () => void
}

/** Milliseconds for which the finding that a team has no limits is cached. */
const unlimitedCacheMs = 1000

/** Milliseconds between attempts to get a slot. */
const pollMs = 150

/** Milliseconds before a failed release is retried. */
const releaseRetryMs = 1000

/**
 * Admits work when the team can pay for it and has a free concurrency slot. Limits apply across all
 * servers.
 */
export class WorkPermits {
  readonly #store: Store
  readonly #nodeId: string
  readonly #unlimitedUntilMs = new Map<string, number>()
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, number>()
  /** Tail of each team's FIFO queue: new requests wait for it first. */
  readonly #queues = new Map<string, Promise<unknown>>()

  constructor({ store, nodeId }: { readonly store: Store; readonly nodeId: string }) {
    this.#store = store
    this.#nodeId = nodeId
  }

  /** Counts the team's running work on this server. */
  running(teamId: string): number {
    return this.#running.get(teamId) ?? 0
  }

  /** Counts the team's work that waits for a slot on this server. */
  waiting(teamId: string): number {
    return this.#waiting.get(teamId) ?? 0
  }

  /** Drops cached limits of a team after they have changed. */
  clearCache(teamId: string): void {
    this.#unlimitedUntilMs.delete(teamId)
  }

  /**
   * Reserves credits and waits for a slot. Throws INSUFFICIENT_CREDITS, CONCURRENCY_LIMIT if no
   * slot became free in time, or the signal's reason.
   */
  async acquire(request: PermitRequest): Promise<Permit> {
    const { teamId } = request
    if ((this.#unlimitedUntilMs.get(teamId) ?? 0) > performance.now()) return this.#permit(teamId, undefined, 0)
    const startMs = performance.now()
    const id = uuidV7()
    const isFirst = !this.#queues.has(teamId)
    if (isFirst) {
      const outcome = await this.#admit(id, request)
      if (outcome.isAdmitted) return this.#permit(teamId, outcome.holdId, 0)
    }
    const holdId = await this.#waitInQueue(id, request, startMs + request.waitMs)
    return this.#permit(teamId, holdId, performance.now() - startMs)
  }

  async #waitInQueue(id: string, request: PermitRequest, untilMs: number): Promise<string | undefined> {
    const { teamId } = request
    const before = this.#queues.get(teamId)
    const turn = Promise.withResolvers<void>()
    this.#queues.set(teamId, turn.promise)
    count(this.#waiting, teamId, 1)
    // Clears the timer when the turn comes: with a long `waitMs` it would run for weeks.
    const waitEnd = new AbortController()
    const signal = AbortSignal.any([waitEnd.signal, ...(request.signal === undefined ? [] : [request.signal])])
    try {
      await Promise.race([
        before,
        delay(Math.min(longestTimerMs, Math.max(0, untilMs - performance.now())), undefined, { signal }),
      ])
      return await this.#waitForSlot(id, request, untilMs)
    } finally {
      waitEnd.abort()
      count(this.#waiting, teamId, -1)
      turn.resolve()
      if (this.#queues.get(teamId) === turn.promise) this.#queues.delete(teamId)
    }
  }

  async #waitForSlot(id: string, request: PermitRequest, untilMs: number): Promise<string | undefined> {
    for (;;) {
      const outcome = await this.#admit(id, request)
      if (outcome.isAdmitted) return outcome.holdId
      if (performance.now() >= untilMs) throw concurrencyLimitReached(outcome.limit, request.waitMs)
      await delay(Math.min(pollMs, Math.max(1, untilMs - performance.now())), undefined, signalOf(request))
    }
  }

  async #admit(
    id: string,
    { teamId, credits }: PermitRequest,
  ): Promise<
    | { readonly isAdmitted: true; readonly holdId: string | undefined }
    | { readonly isAdmitted: false; readonly limit: number }
  > {
    const work = { id, teamId, credits, nodeId: this.#nodeId }
    const admission = await admitWork(this.#store.db, work).catch(async (error: unknown) => {
      // The connection may have broken after the hold was stored.
      if (isStoreUnavailable(error)) await this.#release(id)
      throw error
    })
    switch (admission.outcome) {
      case 'admitted':
        return { isAdmitted: true, holdId: id }
      case 'not-held':
        if (!admission.isMetered) this.#unlimitedUntilMs.set(teamId, performance.now() + unlimitedCacheMs)
        return { isAdmitted: true, holdId: undefined }
      case 'insufficient-credits':
        throw insufficientCredits(credits, admission.available)
      case 'team-limit':
        return { isAdmitted: false, limit: admission.limit }
    }
    return admission satisfies never
  }

  /**
   * Releases a hold. During a store outage it retries in the background, so that the result of the
   * work is not masked by the error and the team gets its slot back.
   */
  async #release(holdId: string): Promise<void> {
    try {
      await releaseWork(this.#store.db, holdId)
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error
      // If a retry fails for another reason, give up: the hold is released when this server restarts.
      setTimeout(() => void this.#release(holdId).catch(() => undefined), releaseRetryMs).unref()
    }
  }

  #permit(teamId: string, holdId: string | undefined, waitedMs: number): Permit {
    count(this.#running, teamId, 1)
    let isHeld = holdId !== undefined
    let isOpen = true
    return {
      holdId,
      waitedMs,
      markBilled: () => {
        isHeld = false
      },
      [Symbol.asyncDispose]: async () => {
        if (!isOpen) return
        isOpen = false
        count(this.#running, teamId, -1)
        if (isHeld && holdId !== undefined) await this.#release(holdId)
      },
    }
  }
}

/** Creates an INSUFFICIENT_CREDITS error for work that costs `needed` credits. */
export function insufficientCredits(needed: number, available: number): BowlineError {
  return new BowlineError(
    'INSUFFICIENT_CREDITS',
    `Insufficient credits to perform this request. It needs ${needed}, and ${Math.max(0, available)} are left.`,
    { hint: 'Request less, or add credits: `bowline teams add-credits TEAM CREDITS`.' },
  )
}

function concurrencyLimitReached(limit: number, waitedMs: number): BowlineError {
  return new BowlineError(
    'CONCURRENCY_LIMIT',
    `You have reached the maximum number of concurrent jobs (${limit}). No slot became free within ${Math.round(waitedMs)} ms.`,
    { retryAfterSeconds: 1 },
  )
}

function count(counts: Map<string, number>, teamId: string, change: number): void {
  const value = (counts.get(teamId) ?? 0) + change
  if (value === 0) counts.delete(teamId)
  else counts.set(teamId, value)
}

function signalOf({ signal }: PermitRequest): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}
