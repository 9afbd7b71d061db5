import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

/** Options of `createBatcher`. */
export interface BatcherOptions {
  /** Maximum number of items of a batch. Default: 100. */
  readonly maxItems?: number | undefined
  /** Minimum milliseconds between the starts of two batches. Default: 0. */
  readonly intervalMs?: number | undefined
}

/**
 * Returns a function that groups concurrent calls into batches. Calls of the same turn of the event
 * loop form a batch, and those made while a batch is running, or before the next one may start,
 * form the next. Each call resolves to the result of its batch. If a batch fails, its items are
 * retried one by one, so that only the callers whose items fail get an error.
 */
export function createBatcher<Item, Result>(
  work: (items: readonly Item[]) => Promise<Result>,
  { maxItems = 100, intervalMs = 0 }: BatcherOptions = {},
): (item: Item) => Promise<Result> {
  let waiting: { readonly item: Item; readonly done: PromiseWithResolvers<Result> }[] = []
  let isWorking = false
  const workOn = async (batch: typeof waiting): Promise<void> => {
    try {
      const result = await work(batch.map(({ item }) => item))
      for (const { done } of batch) done.resolve(result)
    } catch (error) {
      if (batch.length === 1) batch[0]?.done.reject(error)
      else for (const each of batch) await workOn([each])
    }
  }
  const run = async (): Promise<void> => {
    if (isWorking) return
    isWorking = true
    await setImmediate()
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxItems)
      waiting = waiting.slice(maxItems)
      const interval = intervalMs === 0 ? undefined : sleep(intervalMs)
      await workOn(batch)
      await interval
    }
    isWorking = false
  }
  return async (item) => {
    const done = Promise.withResolvers<Result>()
    waiting.push({ item, done })
    void run()
    return done.promise
  }
}
