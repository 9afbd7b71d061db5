/** Files that are read or written at the same time. */
const concurrency = 4

/** Calls `work` for each item, a few at a time. Stops at the first failure. */
export async function forEachOf<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let hasFailed = false
  const queue = iterate(items)
  const run = async (): Promise<void> => {
    for await (const item of { [Symbol.asyncIterator]: () => ({ next: async () => queue.next() }) }) {
      if (hasFailed) return
      try {
        await work(item)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  const ends = await Promise.allSettled(Array.from({ length: concurrency }, run))
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
}

async function* iterate<Item>(items: AsyncIterable<Item> | Iterable<Item>): AsyncGenerator<Item> {
  yield* items
}
