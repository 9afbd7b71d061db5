/** Queue of outcomes between the workers and the reader. */
export interface ResultQueue<Outcome> {
  readonly push: (index: number, outcome: Outcome) => void
  /** Whether too many outcomes are unread to start further items. */
  readonly isFull: () => boolean
  /** Ends the queue once its contents are read, optionally with an error. */
  readonly end: (failure?: { readonly error: unknown }) => void
  /** Resolves to the next outcome, or `undefined` at the end. Rejects with the error of `end`. */
  readonly next: () => Promise<Outcome | undefined>
}

/**
 * Creates a result queue. In input order, an outcome waits for those before it, except at the end.
 */
export function createResultQueue<Outcome>(deps: {
  readonly order: 'completed' | 'input'
  readonly highWater: number
  /** Called after each read. */
  readonly onRead: () => void
}): ResultQueue<Outcome> {
  const ready: Outcome[] = []
  const outOfOrder = new Map<number, Outcome>()
  let nextIndex = 0
  let ended: { readonly failure?: { readonly error: unknown } | undefined } | undefined
  let wake: (() => void) | undefined

  const release = (): void => {
    for (let outcome = outOfOrder.get(nextIndex); outcome !== undefined; outcome = outOfOrder.get(nextIndex)) {
      outOfOrder.delete(nextIndex)
      ready.push(outcome)
      nextIndex += 1
    }
  }
  const isEmpty = (): boolean => ready.length === 0 && ended === undefined
  return {
    push: (index, outcome) => {
      if (deps.order === 'completed') {
        ready.push(outcome)
      } else {
        outOfOrder.set(index, outcome)
        release()
      }
      wake?.()
    },
    isFull: () => ready.length + outOfOrder.size >= deps.highWater,
    end: (failure) => {
      if (ended !== undefined) return
      ready.push(...[...outOfOrder].toSorted(([one], [other]) => one - other).map(([, outcome]) => outcome))
      outOfOrder.clear()
      ended = { failure }
      wake?.()
    },
    next: async () => {
      // An outcome that arrives out of order also wakes the reader, but is not ready.
      while (isEmpty()) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wake = resolve
        await promise
      }
      const outcome = ready.shift()
      if (outcome !== undefined) {
        deps.onRead()
        return outcome
      }
      if (ended?.failure !== undefined) throw ended.failure.error
      return undefined
    },
  }
}
