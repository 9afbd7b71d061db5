import { openSource } from './source.ts'

/** Reads the items of a run as they are needed. */
export interface InputQueue<Item> extends AsyncDisposable {
  /** Reads items while there is room. */
  readonly pull: () => void
  /** Adds an item found by the work. Returns false if an item with its key was added before. */
  readonly add: (item: Item) => boolean
  /** Whether the source is exhausted. */
  readonly isDone: () => boolean
}

/** Creates the input queue of a run. Throws CONFIG_INVALID if `items` is not iterable. */
export function createInputQueue<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  deps: {
    readonly keyOf: (item: Item) => string
    readonly hasRoom: () => boolean
    readonly onItem: (item: Item, index: number) => void
    readonly onEnd: () => void
    readonly onError: (error: unknown) => void
  },
): InputQueue<Item> {
  const source = openSource(items)
  const keys = new Set<string>()
  let nextIndex = 0
  let isDone = false
  let isPulling = false
  const enqueue = (item: Item): void => {
    const key = deps.keyOf(item)
    deps.onItem(item, nextIndex)
    // Last, so that an item whose options throw leaves no gap in the order.
    nextIndex += 1
    keys.add(key)
  }
  const pull = async (): Promise<void> => {
    if (isPulling || isDone) return
    isPulling = true
    try {
      while (deps.hasRoom()) {
        const { value, done } = await source.next()
        // The run ended while the source was producing this item.
        if (isDone) return await source.close()
        if (done === true) {
          isDone = true
          return deps.onEnd()
        }
        enqueue(value)
      }
    } catch (error) {
      isDone = true
      deps.onError(error)
    } finally {
      isPulling = false
    }
  }
  return {
    pull: () => void pull(),
    add: (item) => {
      if (keys.has(deps.keyOf(item))) return false
      enqueue(item)
      return true
    },
    isDone: () => isDone,
    [Symbol.asyncDispose]: async () => {
      isDone = true
      // A source that hangs would block this forever. `pull` closes it when its item arrives.
      if (!isPulling) await source.close()
    },
  }
}
