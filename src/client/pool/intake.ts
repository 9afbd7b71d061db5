import { openSource } from './source.ts'

/** The items of a run, taken as they are needed. */
export interface Intake<Item> extends AsyncDisposable {
  /** Takes items while there is room. */
  readonly pull: () => void
  /** Takes an item that the work found, unless one with its key was there. */
  readonly add: (item: Item) => boolean
  /** Whether the input is at its end. */
  readonly isDone: () => boolean
}

/** Makes the intake of a run. Throws CONFIG_INVALID when `items` cannot be iterated. */
export function createIntake<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  parts: {
    readonly keyOf: (item: Item) => string
    readonly hasRoom: () => boolean
    readonly onItem: (item: Item, index: number) => void
    readonly onEnd: () => void
    readonly onError: (error: unknown) => void
  },
): Intake<Item> {
  const source = openSource(items)
  const keys = new Set<string>()
  let nextIndex = 0
  let isDone = false
  let isPulling = false
  const take = (item: Item): void => {
    const key = parts.keyOf(item)
    parts.onItem(item, nextIndex)
    // Only now, so that one whose options throw leaves no gap in the order.
    nextIndex += 1
    keys.add(key)
  }
  const pull = async (): Promise<void> => {
    if (isPulling || isDone) return
    isPulling = true
    try {
      while (parts.hasRoom()) {
        const { value, done } = await source.next()
        // The run has ended while the source was at it.
        if (isDone) return await source.close()
        if (done === true) {
          isDone = true
          return parts.onEnd()
        }
        take(value)
      }
    } catch (error) {
      isDone = true
      parts.onError(error)
    } finally {
      isPulling = false
    }
  }
  return {
    pull: () => void pull(),
    add: (item) => {
      if (keys.has(parts.keyOf(item))) return false
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
