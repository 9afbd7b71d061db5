import type { SessionBill } from '../session-bill.ts'

/**
 * Where a failure comes from. `infrastructure`: the session or the service was lost, so another attempt may well succeed.
 * `page`: the work threw, or took too long.
 */
export type FailureKind = 'infrastructure' | 'page'

interface ItemFacts<Item> {
  readonly item: Item
  /** Place of the item in the input, from 0. */
  readonly index: number
  /** How often the work was started on it. */
  readonly attempts: number
}

/** An item whose work returned. */
export interface ItemDone<Item, Result> extends ItemFacts<Item> {
  readonly state: 'done'
  readonly result: Result
  readonly error?: undefined
  /** Milliseconds of the last attempt. */
  readonly durationMs: number
  /** Whether the result is of an earlier run and was read from the checkpoint. */
  readonly isResumed: boolean
}

/** An item that was given up. */
export interface ItemFailed<Item> extends ItemFacts<Item> {
  readonly state: 'failed'
  readonly result?: undefined
  /** What the last attempt threw, unchanged. */
  readonly error: unknown
  readonly kind: FailureKind
}

/** What became of one item. */
export type ItemOutcome<Item, Result> = ItemDone<Item, Result> | ItemFailed<Item>

/** Why a session of a pool was ended. */
export type RetireReason = 'done' | 'uses' | 'drift' | 'age' | 'idle' | 'budget' | 'trouble' | 'stopped'

/** Where a run stands. */
export interface PoolProgress {
  readonly done: number
  readonly failed: number
  /** Items that an earlier run had done, by the checkpoint. They count as done, too. */
  readonly resumed: number
  /** Attempts that were made anew. */
  readonly retried: number
  readonly running: number
  /** Items that were taken from the input and wait. */
  readonly waiting: number
  /** Sessions that live now. */
  readonly sessions: number
  /** Credits billed, and those that the living sessions will cost at least. */
  readonly credits: number
  readonly elapsedMs: number
}

/** What a run tells as it goes. */
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

/** How a run ended. */
export interface PoolSummary {
  readonly done: number
  readonly failed: number
  readonly resumed: number
  readonly retried: number
  /** Sessions that were opened. */
  readonly sessions: number
  /** Credits of all sessions, those of earlier runs of the same checkpoint included. */
  readonly credits: number
  readonly elapsedMs: number
  /** `end`: every item has its outcome. `budget`: more would have cost more than the budget. `return`: nobody read on. */
  readonly stoppedBy: 'end' | 'budget' | 'return'
}
