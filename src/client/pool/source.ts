import { BowlineError } from '../../kit/errors.ts'

/** Where the items of a run come from. */
export interface Source<Item> {
  readonly next: () => Promise<IteratorResult<Item>>
  /** Tells it that no more are wanted, unless it is at its end or has thrown. */
  readonly close: () => Promise<void>
}

/** Begins to iterate over `items`. Throws CONFIG_INVALID when they cannot be iterated. */
export function openSource<Item>(items: Iterable<Item> | AsyncIterable<Item>): Source<Item> {
  const iterator = iterate(items)
  let isOpen = true
  return {
    next: async () => {
      isOpen = false
      const next = await iterator.next()
      isOpen = next.done !== true
      return next
    },
    close: async () => {
      if (!isOpen) return
      isOpen = false
      await iterator.return?.()
    },
  }
}

function iterate<Item>(items: Iterable<Item> | AsyncIterable<Item>): Iterator<Item> | AsyncIterator<Item> {
  if (typeof items === 'object' && items !== null) {
    if (Symbol.asyncIterator in items) return items[Symbol.asyncIterator]()
    if (Symbol.iterator in items) return items[Symbol.iterator]()
  }
  throw new BowlineError('CONFIG_INVALID', `The items of a pool are ${typeof items}; they must be iterable`, {
    hint: 'Pass an array, a generator or an async iterable. For a single address, pass an array of it.',
  })
}
