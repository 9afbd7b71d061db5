/** Outcomes between those who make them and the one who reads them. */
export interface ResultQueue<Outcome> {
  readonly push: (index: number, outcome: Outcome) => void
  /** Whether so much waits to be read that no more should be begun. */
  readonly isFull: () => boolean
  /** Ends the reading, after what is there was read: with an error when there is one. */
  readonly end: (failure?: { readonly error: unknown }) => void
  /** The next outcome, or undefined at the end. Rejects with the error it was ended with. */
  readonly next: () => Promise<Outcome | undefined>
}

/** Makes an outbox. In the order of the input, an outcome waits for those before it; at the end no longer. */
export function createResultQueue<Outcome>(deps: {
  readonly order: 'completed' | 'input'
  readonly highWater: number
  /** Called when something was read. */
  readonly onRead: () => void
}): ResultQueue<Outcome> {
  const ready: Outcome[] = []
  const early = new Map<number, Outcome>()
  let nextIndex = 0
  let ended: { readonly failure?: { readonly error: unknown } | undefined } | undefined
  let wake: (() => void) | undefined

  const release = (): void => {
    for (let outcome = early.get(nextIndex); outcome !== undefined; outcome = early.get(nextIndex)) {
      early.delete(nextIndex)
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
        early.set(index, outcome)
        release()
      }
      wake?.()
    },
    isFull: () => ready.length + early.size >= deps.highWater,
    end: (failure) => {
      if (ended !== undefined) return
      ready.push(...[...early].toSorted(([one], [other]) => one - other).map(([, outcome]) => outcome))
      early.clear()
      ended = { failure }
      wake?.()
    },
    next: async () => {
      // An outcome that came before its turn wakes, too, and is not ready.
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
