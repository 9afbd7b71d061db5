/**
 * Works a queue off, `concurrency` items at a time, until it is empty or `goesOn` says no. Work may add to the queue. It must
 * not reject: what goes wrong with one item is its own affair.
 */
export async function drainQueue<Item>(
  queue: Item[],
  options: {
    readonly concurrency: number
    readonly goesOn: () => boolean
    readonly work: (item: Item) => Promise<void>
  },
): Promise<void> {
  const running = new Set<Promise<void>>()
  const start = (item: Item): void => {
    const task = options.work(item).finally(() => running.delete(task))
    running.add(task)
  }
  for (;;) {
    while (running.size < options.concurrency && options.goesOn()) {
      const item = queue.shift()
      if (item === undefined) break
      start(item)
    }
    if (running.size === 0) return
    await Promise.race(running)
  }
}
