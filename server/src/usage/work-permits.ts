import { setTimeout as delay } from 'node:timers/promises'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import { longestTimerMs } from 'bowline/kit/longest-timer'
import { admitWork, releaseWork } from '../store/running-work.ts'
import type { Store } from '../store/store.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'

/** Work that wants to begin. */
export interface PermitRequest {
  readonly teamId: string
  /** Most that it may cost. */
  readonly credits: number
  /** Milliseconds to wait for a place among the work of the team; may be infinite. */
  readonly waitMs: number
  readonly signal?: AbortSignal | undefined
}

/** Leave to work. Disposing gives back what was set aside, unless the work was settled. */
export interface Permit extends AsyncDisposable {
  /** Under which credits and a place are set aside; undefined: the team has no limits. */
  readonly holdId: string | undefined
  /** Milliseconds that were spent waiting for a place. */
  readonly waitedMs: number
  /** To be called when the bill has released what was set aside. */
  readonly settled: () => void
}

/** How long a team that was found without limits is taken to be so, in milliseconds. */
const unlimitedCacheMs = 1000

/** Pause between two looks for a place, in milliseconds. */
const pollMs = 150

/** Pause before the next try to give back to a store that was away, in milliseconds. */
const releaseRetryMs = 1000

/** Lets work of teams begin when they can pay for it and have a place for it, whatever runs on other servers. */
export class WorkPermits {
  readonly #store: Store
  readonly #nodeId: string
  readonly #unlimitedUntilMs = new Map<string, number>()
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, number>()
  /** The last to wait in each team: whoever comes later waits for it first. */
  readonly #queues = new Map<string, Promise<unknown>>()

  constructor({ store, nodeId }: { readonly store: Store; readonly nodeId: string }) {
    this.#store = store
    this.#nodeId = nodeId
  }

  /** Work of a team that runs on this server now. */
  running(teamId: string): number {
    return this.#running.get(teamId) ?? 0
  }

  /** Work of a team that waits on this server for a place. */
  waiting(teamId: string): number {
    return this.#waiting.get(teamId) ?? 0
  }

  /** Forgets what is known of a team: its limits were changed here. */
  forget(teamId: string): void {
    this.#unlimitedUntilMs.delete(teamId)
  }

  /** Waits for leave to work. Throws INSUFFICIENT_CREDITS, CONCURRENCY_LIMIT when no place came free in time, or the signal's reason. */
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
    // Whoever has its turn leaves no timer behind, which might run for weeks.
    const isOver = new AbortController()
    const signal = AbortSignal.any([isOver.signal, ...(request.signal === undefined ? [] : [request.signal])])
    try {
      await Promise.race([
        before,
        delay(Math.min(longestTimerMs, Math.max(0, untilMs - performance.now())), undefined, { signal }),
      ])
      return await this.#waitForSlot(id, request, untilMs)
    } finally {
      isOver.abort()
      count(this.#waiting, teamId, -1)
      turn.resolve()
      if (this.#queues.get(teamId) === turn.promise) this.#queues.delete(teamId)
    }
  }

  async #waitForSlot(id: string, request: PermitRequest, untilMs: number): Promise<string | undefined> {
    for (;;) {
      const outcome = await this.#admit(id, request)
      if (outcome.isAdmitted) return outcome.holdId
      if (performance.now() >= untilMs) throw concurrencyLimit(outcome.limit, request.waitMs)
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
      // Whether it was entered before the connection broke is not known.
      if (isStoreUnavailable(error)) await this.#release(id)
      throw error
    })
    switch (admission.outcome) {
      case 'admitted':
        return { isAdmitted: true, holdId: id }
      case 'unlimited':
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
   * Gives back what was set aside. While the store is away that is tried again in the background: whatever the work has
   * come to is not hidden by this, and the team gets its place back.
   */
  async #release(holdId: string): Promise<void> {
    try {
      await releaseWork(this.#store.db, holdId)
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error
      // What fails otherwise by then, such as for a store that was closed, comes back when this server starts again.
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
      settled: () => {
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

/** INSUFFICIENT_CREDITS for work that costs `needed` credits where `available` are left. */
export function insufficientCredits(needed: number, available: number): BowlineError {
  return new BowlineError(
    'INSUFFICIENT_CREDITS',
    `Insufficient credits to perform this request. It needs ${needed}, and ${Math.max(0, available)} are left.`,
    { hint: 'Ask for less, or raise the credits of the team: `bowline teams add-credits TEAM CREDITS`.' },
  )
}

function concurrencyLimit(limit: number, waitedMs: number): BowlineError {
  return new BowlineError(
    'CONCURRENCY_LIMIT',
    `You have reached the maximum number of concurrent jobs (${limit}). No place came free within ${Math.round(waitedMs)} ms.`,
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
