import { sleep } from 'bowline/kit/sleep'
import { dayMs } from 'bowline/kit/day-ms'
import { rollUpLedger } from '../billing/roll-up-ledger.ts'
import { runEvery } from '../kit/run-every.ts'
import { deleteOldTrackedPages } from '../scrape/queries/scrapes.ts'
import { deleteOldSessions } from '../sessions/session-retention.ts'
import type { Blobs } from '../blobs/blobs.ts'
import { sweepOrphanedFiles } from '../scrape/document/sweep-scrapes.ts'
import { databaseTime } from '../store/database-time.ts'
import type { Store } from '../store/store.ts'
import { claimRun } from './claim-run.ts'

/** Dependencies of `startRetention`. */
export interface RetentionDeps {
  readonly store: Store
  readonly blobs: Blobs
  /** Days that single sessions, charges and states of tracked pages are kept. */
  readonly retentionDays: number
  readonly onError: (error: unknown, action: string) => void
}

/** How many rows a run removed. */
export interface RetentionResult {
  readonly sessions: number
  readonly charges: number
  readonly trackedPages: number
  /** Scrapes that were never stored, whose files were deleted. */
  readonly orphanedScrapes: number
}

const everyMs = 3_600_000

/** Rows per statement. More would delay requests that use the same rows, or the embedded store. */
const batchSize = 500

/** Milliseconds between two batches, for the queries of requests. */
const pauseMs = 20

/**
 * Deletes ended sessions and states of tracked pages that are older than the retention, and sums up
 * charges, at startup and hourly. Only one of the servers on a database does this. Disposing stops
 * after the current batch.
 */
export function startRetention({ store, blobs, retentionDays, onError }: RetentionDeps): AsyncDisposable {
  const stopped = new AbortController()
  const run = async (): Promise<void> => {
    if (!(await claimRun(store.db, everyMs))) return
    await applyRetention({ store, blobs }, retentionDays, { signal: stopped.signal })
  }
  const sweep = runEvery(everyMs, run, {
    onError: (error) => {
      if (!stopped.signal.aborted) onError(error, 'deleting old sessions and summing up old charges')
    },
    isImmediate: true,
  })
  return {
    [Symbol.asyncDispose]: async () => {
      stopped.abort()
      await sweep[Symbol.asyncDispose]()
    },
  }
}

/**
 * Removes what is older than the retention, and files that crashes have left. The limit is the
 * start of a UTC day, as charges are summed up by whole days. Throws the signal's reason.
 */
export async function applyRetention(
  { store, blobs }: Pick<RetentionDeps, 'store' | 'blobs'>,
  retentionDays: number,
  { signal, ...at }: { readonly nowMs?: number; readonly signal?: AbortSignal } = {},
): Promise<RetentionResult> {
  const { db } = store
  const nowMs = at.nowMs ?? (await databaseTime(db)).getTime()
  const before = new Date((Math.floor(nowMs / dayMs) - retentionDays) * dayMs)
  return {
    sessions: await inBatches(async () => deleteOldSessions(db, before, batchSize), signal),
    charges: await inBatches(async () => rollUpLedger(db, before, batchSize), signal),
    trackedPages: await inBatches(async () => deleteOldTrackedPages(db, before, batchSize), signal),
    orphanedScrapes: await sweepOrphanedFiles({ store, blobs }, { nowMs, signal }),
  }
}

/** Repeats a statement until it removes less than a batch. Returns the number of removed rows. */
async function inBatches(remove: () => Promise<number>, signal: AbortSignal | undefined): Promise<number> {
  for (let total = 0; ;) {
    signal?.throwIfAborted()
    const removed = await remove()
    total += removed
    if (removed < batchSize) return total
    await sleep(pauseMs, signal)
  }
}
