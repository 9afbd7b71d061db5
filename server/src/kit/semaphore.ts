import { abortable } from 'bowline/kit/abort'

/** A number of places that are taken in the order of asking. */
export class Semaphore {
  readonly #count: () => number
  #taken = 0
  readonly #waiting: (() => void)[] = []

  /** `count` may change: more places are taken once the next one is given back, and fewer as they are. */
  constructor(count: number | (() => number)) {
    this.#count = typeof count === 'number' ? () => count : count
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Waits for a place; disposing gives it back. Throws the signal's reason. */
  async acquire(signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted()
    if (this.#taken < this.#count()) this.#taken += 1
    else await this.#wait(signal)
    return { [Symbol.dispose]: () => this.#give() }
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const turn = Promise.withResolvers<void>()
    this.#waiting.push(turn.resolve)
    try {
      await abortable(turn.promise, signal)
    } catch (error) {
      const index = this.#waiting.indexOf(turn.resolve)
      if (index === -1) this.#give()
      else this.#waiting.splice(index, 1)
      throw error
    }
  }

  #give(): void {
    this.#taken -= 1
    while (this.#taken < this.#count()) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#taken += 1
      next()
    }
  }
}
