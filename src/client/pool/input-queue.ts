import { openSource } from './source.ts'

/** The items of a run, taken as they are needed. */
export interface InputQueue<Item> extends AsyncDisposable {
  /** Takes items while there is room. */
  readonly pull: () => void
  /** Takes an item that the work found, unless one with its key was there. */
  readonly add: (item: Item) => boolean
  /** Whether the input is at its end. */
  readonly isDone: () => boolean
}

/** Makes the intake of a run. Throws CONFIG_INVALID when `items` cannot be iterated. */
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
  const take = (item: Item): void => {
    const key = deps.keyOf(item)
    deps.onItem(item, nextIndex)
    // Only now, so that one whose options throw leaves no gap in the order.
    nextIndex += 1
    keys.add(key)
  }
  const pull = async (): Promise<void> => {
    if (isPulling || isDone) return
    isPulling = true
    try {
      while (deps.hasRoom()) {
        const { value, done } = await source.next()
        // The run has ended while the source was at it.
        if (isDone) return await source.close()
        if (done === true) {
          isDone = true
          return deps.onEnd()
        }
        take(value)
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
      take(item)
      return true
    },
    isDone: () => isDone,
    [Symbol.asyncDispose]: async () => {
      isDone = true
      // A source that hangs in its next item would hold this up for ever, so it is closed when it has it.
      if (!isPulling) await source.close()
    },
  }
}
