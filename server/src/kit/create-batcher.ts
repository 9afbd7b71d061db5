import { setImmediate } from 'node:timers/promises'

/** Options of `createBatcher`. */
export interface BatcherOptions {
  /** Maximum number of items of a batch. Default: 100. */
  readonly maxItems?: number | undefined
  /** Minimum milliseconds between the starts of two batches. Default: 0. */
  readonly intervalMs?: number | undefined
  /**
   * Whether more calls are expected, given the number of items that wait. If not, the next batch
   * starts before the interval is over. Default: always.
   */
  readonly expectsMore?: ((waiting: number) => boolean) | undefined
}

/**
 * Returns a function that groups concurrent calls into batches. Calls of the same turn of the event
 * loop form a batch, and those made while a batch is running, or before the next one may start,
 * form the next. Each call resolves to the result of its batch. If a batch fails, its items are
 * retried one by one, so that only the callers whose items fail get an error.
 */
export function createBatcher<Item, Result>(
  work: (items: readonly Item[]) => Promise<Result>,
  { maxItems = 100, intervalMs = 0, expectsMore = () => true }: BatcherOptions = {},
): (item: Item) => Promise<Result> {
  let waiting: { readonly item: Item; readonly done: PromiseWithResolvers<Result> }[] = []
  let isWorking = false
  let interval: Interval | undefined
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
      interval = intervalMs === 0 ? undefined : startInterval(intervalMs)
      await workOn(batch)
      await interval?.ended
    }
    isWorking = false
  }
  return async (item) => {
    const done = Promise.withResolvers<Result>()
    waiting.push({ item, done })
    if (!expectsMore(waiting.length)) interval?.end()
    void run()
    return done.promise
  }
}

/** The time between the starts of two batches. */
interface Interval {
  readonly ended: Promise<void>
  readonly end: () => void
}

function startInterval(ms: number): Interval {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const end = (): void => {
    clearTimeout(timer)
    resolve()
  }
  return { ended, end }
}
