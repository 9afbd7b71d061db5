import { checkOptions, type OptionNames } from '../check-options.ts'
import type { WithSessionDeps } from '../with-session.ts'
import type { PoolFunction } from './attempt.ts'
import { resolvePoolOptions, type PoolOptions } from './options.ts'
import type { ItemOutcome, PoolProgress, PoolSummary } from './outcome.ts'
import { Run } from './run.ts'
import { estimatePool, type PoolEstimate, type PoolLoad } from './estimate.ts'
import type { ItemOptions } from './task.ts'

/** A run of a pool. It begins when it is first iterated; leaving the loop ends it and its sessions. */
export interface PoolRun<Item, Result> extends AsyncIterable<ItemOutcome<Item, Result>> {
  /** Where it stands now. */
  readonly progress: PoolProgress
  /**
   * Waits for the end and resolves to its figures. When nobody iterates, it runs the items, and drops their outcomes.
   * Rejects with what made the run fail.
   */
  readonly done: () => Promise<PoolSummary>
}

/** Works on many items with a few sessions. */
export interface Pool<Handles> {
  /**
   * Runs `work` on each item, on sessions that are shared by items with the same session options, and always deleted.
   * Items that fail have their outcome, too. The iteration rejects when the run as a whole cannot go on: with the reason of
   * an aborted signal, with an error of the input, or when the service refuses every session. Throws CONFIG_INVALID.
   */
  readonly run: <Item, Result>(
    items: Iterable<Item> | AsyncIterable<Item>,
    work: PoolFunction<Item, Result, Handles>,
    options?: ItemOptions<Item>,
  ) => PoolRun<Item, Awaited<Result>>
  /** Credits and time for so many items, before anything is started. */
  readonly estimate: (load: PoolLoad) => PoolEstimate
}

/** Makes a pool of a client. Throws CONFIG_INVALID. */
export function createPool<Handles>(client: WithSessionDeps, options: PoolOptions<Handles>): Pool<Handles> {
  const settings = resolvePoolOptions(options)
  return {
    run: (items, work, itemOptions = {}) => {
      checkOptions('run()', itemOptions, itemNames)
      return toPoolRun(new Run({ client, settings, items, work, itemOptions }))
    },
    estimate: (load) => estimatePool(settings, load),
  }
}

const itemNames: OptionNames<ItemOptions<unknown>> = { session: true, host: true, key: true }

function toPoolRun<Item, Result, Handles>(run: Run<Item, Result, Handles>): PoolRun<Item, Awaited<Result>> {
  const ended = Promise.withResolvers<void>()
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
