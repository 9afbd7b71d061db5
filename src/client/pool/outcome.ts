import type { SessionBill } from '../session.ts'

/**
 * Kind of a failure. `infrastructure`: the session or the service was lost, so a retry may succeed.
 * `page`: the work threw or timed out.
 */
export type FailureKind = 'infrastructure' | 'page'

interface ItemFacts<Item> {
  readonly item: Item
  /** Index of the item in the input, from 0. */
  readonly index: number
  /** Number of attempts. */
  readonly attempts: number
}

/** Outcome of an item whose work returned. */
export interface ItemDone<Item, Result> extends ItemFacts<Item> {
  readonly state: 'done'
  readonly result: Result
  readonly error?: undefined
  /** Duration of the last attempt in milliseconds. */
  readonly durationMs: number
  /** Whether the result was read from the checkpoint of a previous run. */
  readonly isResumed: boolean
}

/** Outcome of an item that failed after all retries. */
export interface ItemFailed<Item> extends ItemFacts<Item> {
  readonly state: 'failed'
  readonly result?: undefined
  /** Error of the last attempt, unchanged. */
  readonly error: unknown
  readonly kind: FailureKind
}

/**
 * Outcome of one item.
 *
 * @example
 * ```ts
 * import type { ItemOutcome } from 'bowline'
 *
 * function print({ item, result, error }: ItemOutcome<string, number>): void {
 *   if (error === undefined) console.log(item, result)
 *   else console.error(item, String(error))
 * }
 * ```
 */
export type ItemOutcome<Item, Result> = ItemDone<Item, Result> | ItemFailed<Item>

/**
 * Why a pool ended a session.
 *
 * - `done`: the run has ended
 * - `uses`: it has reached `maxUses`
 * - `drift`: it has become slow, see `maxDrift`
 * - `age`: its lifetime is almost over
 * - `idle`: no item can use it
 * - `budget`: the budget is spent
 * - `failure`: it was lost, or an attempt timed out
 * - `stopped`: the run was aborted
 */
export type RetireReason = 'done' | 'uses' | 'drift' | 'age' | 'idle' | 'budget' | 'failure' | 'stopped'

/**
 * Progress of a run.
 *
 * @example
 * ```ts
 * import type { PoolProgress } from 'bowline'
 *
 * function report({ done, failed, waiting, credits }: PoolProgress): void {
 *   console.log(`${done} done, ${failed} failed, ${waiting} waiting, ${credits} credits`)
 * }
 * ```
 */
export interface PoolProgress {
  readonly done: number
  readonly failed: number
  /** Items completed by a previous run, read from the checkpoint. `done` includes them. */
  readonly resumed: number
  /** Retries so far. */
  readonly retried: number
  readonly running: number
  /** Items read from the input that wait for a session. */
  readonly waiting: number
  /** Live sessions. */
  readonly sessions: number
  /** Credits billed plus the minimum cost of the live sessions. */
  readonly credits: number
  readonly elapsedMs: number
}

/**
 * Event of a run, passed to `onProgress`.
 *
 * @example
 * ```ts
 * import { Bowline, type PoolEvent, type PoolProgress } from 'bowline'
 *
 * import { playwright } from 'bowline/playwright'
 *
 * const onProgress = ({ done, credits }: PoolProgress, event: PoolEvent): void => {
 *   console.log(`${done} done, ${credits} credits`)
 *   if (event.type === 'item') console.log(event.outcome.item, event.outcome.state)
 *   if (event.type === 'retry') console.log(event.item, event.error)
 *   if (event.type === 'session-ended') console.log(event.reason, event.bill.creditsBilled)
 * }
 * const pool = new Bowline().pool({ driver: playwright, size: 1, onProgress })
 * await pool.run(['https://example.com'], async (url, { page }) => page.goto(url)).done()
 * ```
 */
export type PoolEvent<Item = unknown, Result = unknown> =
  | { readonly type: 'item'; readonly outcome: ItemOutcome<Item, Result> }
  | {
      readonly type: 'retry'
      readonly item: Item
      readonly index: number
      readonly kind: FailureKind
      readonly error: unknown
      readonly waitMs: number
    }
  | { readonly type: 'session-opened'; readonly sessionId: string; readonly liveViewUrl: string }
  | { readonly type: 'session-ended'; readonly reason: RetireReason; readonly uses: number; readonly bill: SessionBill }

/**
 * Summary of a finished run.
 *
 * @example
 * ```ts
 * import { Bowline, type PoolSummary } from 'bowline'
 *
 * import { playwright } from 'bowline/playwright'
 *
 * const pool = new Bowline().pool({ driver: playwright, size: 1, budget: 20 })
 * const run = pool.run(['https://example.com'], async (url, { page }) => page.goto(url))
 * const { done, failed, credits, stoppedBy }: PoolSummary = await run.done()
 * console.log(`${done} done, ${failed} failed, ${credits} credits, stopped by ${stoppedBy}`)
 * ```
 */
export interface PoolSummary {
  readonly done: number
  readonly failed: number
  readonly resumed: number
  readonly retried: number
  /** Sessions opened by this run. */
  readonly sessions: number
  /** Credits of all sessions, including those of previous runs with the same checkpoint. */
  readonly credits: number
  readonly elapsedMs: number
  /**
   * `end`: every item has an outcome. `budget`: the budget is spent. `return`: the caller stopped
   * iterating, or the run failed.
   */
  readonly stoppedBy: 'end' | 'budget' | 'return'
}
