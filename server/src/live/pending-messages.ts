/** Limits of `PendingMessages`. */
export interface PendingLimits {
  readonly maxMessages: number
  readonly maxBytes: number
}

/**
 * Messages of viewers that the browser has not responded to, within limits: a page that hangs
 * responds to no input.
 */
export class PendingMessages {
  readonly #limits: PendingLimits
  #messages = 0
  #bytes = 0

  constructor(limits: PendingLimits) {
    this.#limits = limits
  }

  /** Handles a message of a size in bytes. Returns false if too many are pending. */
  tryHandle(bytes: number, handle: () => Promise<unknown>): boolean {
    const { maxMessages, maxBytes } = this.#limits
    if (this.#messages >= maxMessages || this.#bytes + bytes > maxBytes) return false
    this.#messages += 1
    this.#bytes += bytes
    const done = (): void => {
      this.#messages -= 1
      this.#bytes -= bytes
    }
    handle().then(done, done)
    return true
  }
}
