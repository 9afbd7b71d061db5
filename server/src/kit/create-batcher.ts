/**
 * Does work on many items at once: what is asked for while a batch is being worked on waits and makes up the next one.
 * When a batch fails its items are tried one by one, so that each caller hears of their own only.
 */
export function createBatcher<Item>(
  work: (items: readonly Item[]) => Promise<void>,
  { most = 100 }: { readonly most?: number } = {},
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
      const batch = waiting.slice(0, most)
      waiting = waiting.slice(most)
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
