import { abortable, mergeSignals } from '../../kit/abort.ts'
import { explainMissingHandles } from '../missing-handles.ts'
import { BowlineError } from '../../kit/errors.ts'
import type { SessionScope } from '../with-session.ts'
import { attemptsOf, type Task } from './task.ts'

/**
 * Argument of a pool function, merged with the handles of the driver.
 *
 * @example
 * ```ts
 * import type { ItemScope } from 'bowline'
 *
 * function visit(url: string, { attempt, add }: ItemScope<string>): string {
 *   if (!url.includes('?')) add(`${url}?page=2`) // becomes an item of the run
 *   return `${url}, attempt ${attempt}`
 * }
 * ```
 */
export interface ItemScope<Item> extends SessionScope {
  /** Number of this attempt on the item, from 1. */
  readonly attempt: number
  /**
   * Adds an item to this run. Returns false if an item with the same key was added before. With a
   * checkpoint, later runs also add it, and it must be a JSON value, otherwise this throws
   * CONFIG_INVALID.
   */
  readonly add: (item: Item) => boolean
}

/**
 * Former name of `ItemScope`.
 *
 * @deprecated Use `ItemScope`.
 */
export type PoolWork<Item> = ItemScope<Item>

/**
 * Function that a pool runs on each item.
 *
 * @example
 * ```ts
 * import { Bowline, type PoolFunction } from 'bowline'
 *
 * import { playwright, type PlaywrightHandles } from 'bowline/playwright'
 *
 * const readTitle: PoolFunction<string, string, PlaywrightHandles> = async (
 *   url,
 *   { page, signal },
 * ) => {
 *   await page.goto(url, { signal })
 *   return page.title()
 * }
 * const pool = new Bowline().pool({ driver: playwright, size: 1 })
 * for await (const { result, error } of pool.run(['https://example.com'], readTitle))
 *   console.log(result ?? error)
 * ```
 */
export type PoolFunction<Item, Result, Handles> = (
  item: Item,
  scope: ItemScope<Item> & Handles,
) => Result | Promise<Result>

/**
 * Result of one attempt. With `isTimeout`, the work may still be running. `stopped`: the signal of
 * the session aborted.
 */
export type Attempt<Result> =
  | { readonly state: 'done'; readonly result: Result; readonly durationMs: number }
  | { readonly state: 'failed'; readonly error: unknown; readonly isTimeout: boolean; readonly durationMs: number }
  | { readonly state: 'stopped' }

/** Runs the work on an item once, for at most `timeoutMs`. */
export async function runAttempt<Item, Result, Handles>(
  work: PoolFunction<Item, Result, Handles>,
  task: Task<Item>,
  scope: SessionScope & Handles,
  options: {
    readonly timeoutMs: number
    readonly add: (item: Item) => boolean
    /** Aborts when the session is lost. */
    readonly failureSignal: AbortSignal | undefined
    readonly hasDriver: boolean
  },
): Promise<Attempt<Awaited<Result>>> {
  const { timeoutMs, add, failureSignal, hasDriver } = options
  const late = new AbortController()
  const timer = setTimeout(() => {
    late.abort(new BowlineError('TIMEOUT', `The work on item ${task.index} did not finish within ${timeoutMs} ms`))
  }, timeoutMs)
  const signal = mergeSignals(scope.signal, late.signal, failureSignal)
  const itemScope = { ...scope, signal, attempt: attemptsOf(task) + 1, add }
  const startedAt = performance.now()
  const durationMs = (): number => Math.round(performance.now() - startedAt)
  try {
    const run = async (): Promise<Awaited<Result>> =>
      await work(task.item, hasDriver ? itemScope : explainMissingHandles(itemScope))
    const running = run()
    // Work that timed out or was aborted may reject later.
    running.catch(() => undefined)
    return { state: 'done', result: await abortable(running, signal), durationMs: durationMs() }
  } catch (error) {
    if (scope.signal.aborted) return { state: 'stopped' }
    return { state: 'failed', error, isTimeout: late.signal.aborted, durationMs: durationMs() }
  } finally {
    clearTimeout(timer)
  }
}
