import { abortable } from 'bowline/kit/abort'

/** Counting semaphore. Waiting callers are served in order (FIFO). */
export class Semaphore {
  readonly #limit: () => number
  #acquired = 0
  readonly #waiting: (() => void)[] = []

  /** `limit` may change over time. A new value takes effect at the next release. */
  constructor(limit: number | (() => number)) {
    this.#limit = typeof limit === 'number' ? () => limit : limit
  }

  /** Slots in use. */
  get acquired(): number {
    return this.#acquired
  }

  /** Callers that are waiting for a slot. */
  get waiting(): number {
    return this.#waiting.length
  }

  /**
   * Waits for a slot. Disposing the result releases it; disposing it again has no effect. Throws
   * the signal's reason on abort.
   */
  async acquire(signal?: AbortSignal): Promise<Disposable> {
    signal?.throwIfAborted()
    if (this.#acquired < this.#limit()) this.#acquired += 1
    else await this.#wait(signal)
    let isReleased = false
    return {
      [Symbol.dispose]: () => {
        if (isReleased) return
        isReleased = true
        this.#release()
      },
    }
  }

  async #wait(signal: AbortSignal | undefined): Promise<void> {
    const turn = Promise.withResolvers<void>()
    this.#waiting.push(turn.resolve)
    try {
      await abortable(turn.promise, signal)
    } catch (error) {
      const index = this.#waiting.indexOf(turn.resolve)
      if (index === -1) this.#release()
      else this.#waiting.splice(index, 1)
      throw error
    }
  }

  #release(): void {
    this.#acquired -= 1
    while (this.#acquired < this.#limit()) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#acquired += 1
      next()
    }
  }
}
