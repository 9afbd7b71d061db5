import { BowlineError } from '../../kit/errors.ts'

/** Iterator over the items of a run. */
export interface Source<Item> {
  readonly next: () => Promise<IteratorResult<Item>>
  /** Closes the iterator, unless it is exhausted or has thrown. */
  readonly close: () => Promise<void>
}

/** Starts iterating over `items`. Throws CONFIG_INVALID if they are not iterable. */
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
  throw new BowlineError(
    'CONFIG_INVALID',
    `Pool items must be iterable, got ${items === null ? 'null' : typeof items}`,
    {
      hint: 'Pass an array, a generator or an async iterable. For a single URL, pass `[url]`.',
    },
  )
}
