import { abortable } from 'bowline/kit/abort'

/**
 * Keeps the input of a page in order when a step of it takes several commands, such as reading the
 * selection before a key removes it. Other input is sent without waiting for earlier responses.
 */
export class InputOrder {
  /** Input that the page has not handled yet. */
  readonly #pending = new Set<Promise<void>>()
  #step: Promise<void> | undefined

  /** Sends input, after the steps that were started before. Resolves when `send` does. */
  async send(send: () => Promise<void>): Promise<void> {
    if (this.#step !== undefined) await this.#step
    const sent = send()
    this.#pending.add(sent)
    await sent.finally(() => this.#pending.delete(sent))
  }

  /**
   * Runs a step when the page has handled earlier input, and holds later input until the step ends.
   * Each wait takes at most a second: a frame that hangs would hold up the rest of the page. Then
   * the signal of the step aborts, as later input may already have been handled.
   */
  async run(step: (late: AbortSignal) => Promise<void>): Promise<void> {
    const earlier = this.#step
    const ended = Promise.withResolvers<void>()
    const current = ended.promise
    this.#step = current
    await earlier
    await settledBefore(AbortSignal.timeout(maxWaitMs), Promise.allSettled(this.#pending))
    const late = AbortSignal.timeout(maxWaitMs)
    const running = step(late)
    await settledBefore(late, running)
    ended.resolve()
    // Resumes after the input that was held, which later input must not overtake.
    await current
    if (this.#step === current) this.#step = undefined
    await running
  }
}

const maxWaitMs = 1000

/** Resolves when the promise settles or the signal aborts. */
async function settledBefore(signal: AbortSignal, promise: Promise<unknown>): Promise<void> {
  await abortable(promise, signal).catch(() => undefined)
}
