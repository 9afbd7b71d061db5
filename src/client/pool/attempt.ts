import { abortable } from '../../kit/abort.ts'
import { BowlineError } from '../../kit/errors.ts'
import type { Work } from '../with-session.ts'
import { attemptsOf, type Task } from './task.ts'

/** What the work of a pool is given, beside what the driver connects. */
export interface PoolWork<Item> extends Work {
  /** Which attempt on this item this is, from 1. */
  readonly attempt: number
  /** Puts another item into this run, unless it has been there before, and tells whether it did. */
  readonly add: (item: Item) => boolean
}

/** The function a pool runs on each item. */
export type PoolFunction<Item, Result, Handles> = (
  item: Item,
  work: PoolWork<Item> & Handles,
) => Result | Promise<Result>

/** How one attempt went. `isTimeout`: the work may still be running. */
export type Attempt<Result> =
  | { readonly state: 'done'; readonly result: Result; readonly durationMs: number }
  | { readonly state: 'failed'; readonly error: unknown; readonly isTimeout: boolean; readonly durationMs: number }
  | { readonly state: 'stopped' }

/** Runs the work on an item once, for `timeoutMs` at most. `stopped`: the signal of the session was aborted. */
export async function runAttempt<Item, Result, Handles>(
  work: PoolFunction<Item, Result, Handles>,
  task: Task<Item>,
  scope: Work & Handles,
  options: {
    readonly timeoutMs: number
    readonly add: (item: Item) => boolean
    /** Aborts when the session is lost. */
    readonly failureSignal: AbortSignal | undefined
  },
): Promise<Attempt<Awaited<Result>>> {
  const { timeoutMs, add, failureSignal } = options
  const late = new AbortController()
  const timer = setTimeout(() => {
    late.abort(new BowlineError('TIMEOUT', `The work on item ${task.index} did not end within ${timeoutMs} ms`))
  }, timeoutMs)
  const signals = [scope.signal, late.signal, failureSignal].filter((each) => each !== undefined)
  const signal = AbortSignal.any(signals)
  const startedAt = performance.now()
  const durationMs = (): number => Math.round(performance.now() - startedAt)
  try {
    const run = async (): Promise<Awaited<Result>> =>
      await work(task.item, { ...scope, signal, attempt: attemptsOf(task) + 1, add })
    const running = run()
    // Work that was given up may still reject.
    running.catch(() => undefined)
    return { state: 'done', result: await abortable(running, signal), durationMs: durationMs() }
  } catch (error) {
    if (scope.signal.aborted) return { state: 'stopped' }
    return { state: 'failed', error, isTimeout: late.signal.aborted, durationMs: durationMs() }
  } finally {
    clearTimeout(timer)
  }
}
