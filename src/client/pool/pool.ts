import { checkOptions, checkWork, type OptionNames } from '../check-options.ts'
import type { PoolFunction } from './attempt.ts'
import { resolvePoolOptions, type PoolOptions } from './options.ts'
import type { ItemOutcome, PoolProgress, PoolSummary } from './outcome.ts'
import type { PoolClient } from './pool-worker.ts'
import { Run } from './run.ts'
import { estimatePool, type PoolEstimate, type PoolLoad } from './estimate.ts'
import type { ItemOptions } from './task.ts'

/**
 * A run of a pool. It starts when it is first iterated or `done()` is called. Leaving the loop ends
 * the run and deletes its sessions.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const pool = new Bowline().pool({ size: 2 })
 * const run = pool.run([1, 2, 3], (item, { session }) => `${item} on ${session.id}`)
 * for await (const outcome of run) {
 *   if (outcome.state === 'done') console.log(outcome.result, outcome.durationMs)
 *   else console.log(outcome.kind, outcome.error)
 * }
 * console.log(await run.done())
 * ```
 */
export interface PoolRun<Item, Result> extends AsyncIterable<ItemOutcome<Item, Result>> {
  /** Current progress. */
  readonly progress: PoolProgress
  /**
   * Waits for the end of the run and resolves to its summary. If the run is not iterated, this runs
   * all items and discards their outcomes. Rejects with the error that ended the run.
   */
  readonly done: () => Promise<PoolSummary>
}

/**
 * Runs a function over many items on a limited number of sessions.
 *
 * @example
 * ```ts
 * import { Bowline, type Pool } from 'bowline'
 * import { playwright, type PlaywrightHandles } from 'bowline/playwright'
 *
 * const pool: Pool<PlaywrightHandles> = new Bowline().pool({ driver: playwright, size: 1 })
 * const run = pool.run(['https://example.com'], async (url, { page }) => {
 *   await page.goto(url)
 *   return page.title()
 * })
 * for await (const { item, result, error } of run) console.log(item, result ?? error)
 * ```
 */
export interface Pool<Handles> {
  /**
   * Runs `work` on each item. Items with the same session options share sessions, which are always
   * deleted.
   *
   * A failed item yields an outcome with its error. The iteration rejects only if the run cannot
   * continue: with the reason of an aborted signal, with an error of the input, or with an error of
   * the service if it refuses every session. Throws CONFIG_INVALID.
   */
  readonly run: <Item, Result>(
    items: Iterable<Item> | AsyncIterable<Item>,
    work: PoolFunction<Item, Result, Handles>,
    options?: ItemOptions<Item>,
  ) => PoolRun<Item, Awaited<Result>>
  /** Estimates credits and duration before a run. */
  readonly estimate: (load: PoolLoad) => PoolEstimate
}

/** Creates a pool. Throws CONFIG_INVALID. */
export function createPool<Handles>(client: PoolClient, options: PoolOptions<Handles>): Pool<Handles> {
  const settings = resolvePoolOptions(options)
  return {
    run: (items, work, itemOptions = {}) => {
      checkWork('run()', work)
      checkOptions('run()', itemOptions, itemNames)
      return toPoolRun(new Run({ client, settings, items, work, itemOptions }))
    },
    estimate: (load) => estimatePool(settings, load),
  }
}

const itemNames: OptionNames<ItemOptions<unknown>> = { session: true, host: true, key: true }

function toPoolRun<Item, Result, Handles>(run: Run<Item, Result, Handles>): PoolRun<Item, Awaited<Result>> {
  const ended = Promise.withResolvers<void>()
  // The caller may iterate only. Without a listener, an error would end the process.
  ended.promise.catch(() => undefined)
  const outcomes = iterate(run, ended)
  let isIterated = false
  return {
    get progress() {
      return run.progress()
    },
    done: async () => {
      if (!isIterated) {
        isIterated = true
        for (let step = await outcomes.next(); step.done !== true; step = await outcomes.next());
      }
      await ended.promise
      return run.summary()
    },
    [Symbol.asyncIterator]: () => {
      isIterated = true
      return outcomes
    },
  }
}

async function* iterate<Item, Result, Handles>(
  run: Run<Item, Result, Handles>,
  ended: PromiseWithResolvers<void>,
): AsyncGenerator<ItemOutcome<Item, Awaited<Result>>, void, undefined> {
  try {
    for (let outcome = await run.next(); outcome !== undefined; outcome = await run.next()) yield outcome
  } catch (error) {
    ended.reject(error)
    throw error
  } finally {
    await run.stop()
    ended.resolve()
  }
}
