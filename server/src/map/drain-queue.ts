/**
 * Processes a queue, `concurrency` items at a time, until it is empty or `canContinue` returns
 * `false`. `work` may add to the queue, and must not reject.
 */
export async function drainQueue<Item>(
  queue: Pick<Item[], 'shift'>,
  options: {
    readonly concurrency: number
    readonly canContinue: () => boolean
    readonly work: (item: Item) => Promise<void>
  },
): Promise<void> {
  const running = new Set<Promise<void>>()
  const start = (item: Item): void => {
    const task = options.work(item).finally(() => running.delete(task))
    running.add(task)
  }
  for (;;) {
    while (running.size < options.concurrency && options.canContinue()) {
      const item = queue.shift()
      if (item === undefined) break
      start(item)
    }
    if (running.size === 0) return
    await Promise.race(running)
  }
}
