/**
 * Returns a function that groups concurrent calls into batches. Calls made while a batch is running
 * form the next batch of at most `maxItems` items (default: 100). If a batch fails, its items are
 * retried one by one, so that only the callers whose items fail get an error.
 */
export function createBatcher<Item>(
  work: (items: readonly Item[]) => Promise<void>,
  { maxItems = 100 }: { readonly maxItems?: number } = {},
): (item: Item) => Promise<void> {
  let waiting: { readonly item: Item; readonly done: PromiseWithResolvers<void> }[] = []
  let isWorking = false
  const workOn = async (batch: typeof waiting): Promise<void> => {
    try {
      await work(batch.map(({ item }) => item))
      for (const { done } of batch) done.resolve()
    } catch (error) {
      if (batch.length === 1) batch[0]?.done.reject(error)
      else for (const each of batch) await workOn([each])
    }
  }
  const run = async (): Promise<void> => {
    if (isWorking) return
    isWorking = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxItems)
      waiting = waiting.slice(maxItems)
      await workOn(batch)
    }
    isWorking = false
  }
  return async (item) => {
    const done = Promise.withResolvers<void>()
    waiting.push({ item, done })
    void run()
    return done.promise
  }
}
