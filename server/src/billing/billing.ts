import { sleep } from 'bowline/kit/sleep'
import type { Kysely } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import type { Database } from '../store/schema.ts'
import { inSpan } from '../kit/current-work.ts'
import type { Store } from '../store/store.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import {
  availableCredits,
  raise,
  release,
  reserve,
  settle,
  type Charge,
  type Refusal,
  type Reservation,
  type ReservationOutcome,
} from './account.ts'
import { Hold } from './hold.ts'
import { insufficientCredits } from './insufficient-credits.ts'
import { TeamQueues } from './team-queues.ts'

/** Work of this node to reserve credits for. */
export type Work = Omit<Reservation, 'id' | 'nodeId' | 'slot'> & {
  /** Whether it takes one of the team's concurrency slots for scrapes. Default: false. */
  readonly takesSlot?: boolean | undefined
}

/** How long work may wait for a concurrency slot. */
export interface SlotWait {
  /** Milliseconds. May be `Infinity`. Default: 0. */
  readonly waitMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Dependencies of `Billing`. */
export interface BillingDeps {
  readonly store: Store
  readonly nodeId: string
  /** Called with each charge once it is committed. Default: none. */
  readonly onCharge?: ((charge: Pick<Charge, 'kind' | 'credits'>) => void) | undefined
}

/** Milliseconds for which the finding that a team has no limits is cached. */
const unlimitedCacheMs = 1000

/** Milliseconds between attempts to get a slot. */
const pollMs = 150

/** Milliseconds before a failed release is retried. */
const releaseRetryMs = 1000

/**
 * Reserves credits and slots for work that runs on this node, and bills it. Limits apply across all
 * servers. Work that survives its node uses the statements of `account.ts` with its own rows.
 */
export class Billing {
  readonly #store: Store
  readonly #nodeId: string
  readonly #onCharge: BillingDeps['onCharge']
  readonly #unlimitedUntilMs = new Map<string, number>()
  readonly #running = new Map<string, number>()
  readonly #queues = new TeamQueues()

  constructor({ store, nodeId, onCharge }: BillingDeps) {
    this.#store = store
    this.#nodeId = nodeId
    this.#onCharge = onCharge
  }

  /** Counts the team's work on this server that takes a slot. */
  running(teamId: string): number {
    return this.#running.get(teamId) ?? 0
  }

  /** Counts the team's work that waits for a slot on this server. */
  waiting(teamId: string): number {
    return this.#queues.waiting(teamId)
  }

  /** Whether no work of the team waits for a slot on this server. */
  isLineEmpty(teamId: string): boolean {
    return this.#queues.isEmpty(teamId)
  }

  /**
   * Joins the line of the team's work that waits for a slot. Resolves when it is the turn of the
   * caller; other work waits until the result is disposed of. Throws the signal's reason.
   */
  async awaitTurn(teamId: string, signal: AbortSignal): Promise<Disposable> {
    return this.#queues.awaitTurn(teamId, signal)
  }

  /** Drops cached limits of a team after they have changed. */
  clearCache(teamId: string): void {
    this.#unlimitedUntilMs.delete(teamId)
  }

  /**
   * Reserves credits and waits for a slot if the work takes one. Throws INSUFFICIENT_CREDITS,
   * CONCURRENCY_LIMIT if no slot became free in time, or the signal's reason.
   */
  async reserve(work: Work, wait: SlotWait = {}): Promise<Hold> {
    return inSpan('queue', async () => this.#reserveInTurn(work, wait))
  }

  async #reserveInTurn(work: Work, { waitMs = 0, signal }: SlotWait): Promise<Hold> {
    const { teamId } = work
    const startMs = performance.now()
    const mayWait = work.takesSlot === true
    if (!mayWait || this.#isUnlimited(teamId) || this.#queues.isEmpty(teamId)) {
      const hold = await this.tryReserve(work)
      if (hold instanceof Hold) return hold
      assertAffordable(work, hold)
    }
    const untilMs = startMs + waitMs
    return this.#queues.wait(teamId, { untilMs, signal }, async () => {
      for (;;) {
        const hold = await this.#tryReserve(work, () => performance.now() - startMs)
        if (hold instanceof Hold) return hold
        assertAffordable(work, hold)
        if (performance.now() >= untilMs) throw concurrencyLimitReached(hold.limit, waitMs)
        await sleep(Math.min(pollMs, Math.max(1, untilMs - performance.now())), signal)
      }
    })
  }

  /** Reserves credits and a slot without waiting, or returns why not. */
  async tryReserve(work: Work): Promise<Hold | Refusal> {
    return this.#tryReserve(work, () => 0)
  }

  /**
   * Bills work and saves its rows in one transaction. The rows come first, because billing locks
   * the row of the team. Throws INSUFFICIENT_CREDITS and changes nothing if the work costs more
   * than its hold and the team cannot pay the difference.
   */
  async settle(hold: Hold, charge: Charge, saveRows?: (db: Kysely<Database>) => Promise<void>): Promise<void> {
    await this.#store.db.transaction().execute(async (db) => {
      await saveRows?.(db)
      const credits = charge.credits - hold.credits
      if (hold.id !== undefined && credits > 0 && !(await raise(db, { holdId: hold.id, credits })))
        throw insufficientCredits(charge.credits, hold.credits + ((await availableCredits(db, charge.teamId)) ?? 0))
      await settle(db, hold.id, charge)
    })
    hold.markSettled()
    this.noteCharge(charge)
  }

  /** Reports a committed charge that was not settled by `settle`. */
  noteCharge(charge: Pick<Charge, 'kind' | 'credits'>): void {
    this.#onCharge?.(charge)
  }

  async #tryReserve({ takesSlot = false, ...work }: Work, waitedMs: () => number): Promise<Hold | Refusal> {
    const { teamId } = work
    const id = uuidV7()
    const result = this.#isUnlimited(teamId)
      ? ({ outcome: 'not-needed', isUnlimited: false } as const)
      : await this.#reserve({ ...work, id, slot: takesSlot ? 'scrape' : undefined, nodeId: this.#nodeId })
    if (result.outcome === 'insufficient-credits' || result.outcome === 'team-limit') return result
    if (result.outcome === 'not-needed' && result.isUnlimited)
      this.#unlimitedUntilMs.set(teamId, performance.now() + unlimitedCacheMs)
    if (takesSlot) this.#countRunning(teamId, 1)
    const holdId = result.outcome === 'reserved' ? id : undefined
    return new Hold({ id: holdId, credits: work.credits, waitedMs: waitedMs() }, async ({ isSettled }) => {
      if (takesSlot) this.#countRunning(teamId, -1)
      if (holdId !== undefined && !isSettled) await this.#release(holdId)
    })
  }

  async #reserve(reservation: Reservation): Promise<ReservationOutcome> {
    try {
      return await reserve(this.#store.db, reservation)
    } catch (error) {
      // The connection may have broken after the hold was stored.
      if (isStoreUnavailable(error)) await this.#release(reservation.id)
      throw error
    }
  }

  #isUnlimited(teamId: string): boolean {
    return (this.#unlimitedUntilMs.get(teamId) ?? 0) > performance.now()
  }

  /**
   * Releases a hold. During a store outage it retries in the background, so that the result of the
   * work is not masked by the error and the team gets its slot back.
   */
  async #release(holdId: string): Promise<void> {
    try {
      await release(this.#store.db, holdId)
    } catch (error) {
      if (!isStoreUnavailable(error)) throw error
      // Do not retry after other errors: the hold is released when this server restarts.
      setTimeout(() => void this.#release(holdId).catch(() => undefined), releaseRetryMs).unref()
    }
  }

  #countRunning(teamId: string, change: number): void {
    const count = this.running(teamId) + change
    if (count === 0) this.#running.delete(teamId)
    else this.#running.set(teamId, count)
  }
}

/** Throws INSUFFICIENT_CREDITS unless the work was refused for lack of a slot. */
function assertAffordable(
  { credits }: Work,
  refusal: Refusal,
): asserts refusal is Extract<Refusal, { readonly outcome: 'team-limit' }> {
  if (refusal.outcome === 'insufficient-credits') throw insufficientCredits(credits, refusal.available)
}

function concurrencyLimitReached(limit: number, waitedMs: number): BowlineError {
  return new BowlineError(
    'CONCURRENCY_LIMIT',
    `You have reached the maximum number of concurrent jobs (${limit}). No slot became free within ${Math.round(waitedMs)} ms.`,
    { retryAfterSeconds: 1 },
  )
}
