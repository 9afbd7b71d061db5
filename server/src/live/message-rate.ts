const messages = { perSecond: 1000, maxBurst: 2000 } as const

/** The burst allows for the longest text twice. */
const bytes = { perSecond: 1_000_000, maxBurst: 8_000_000 } as const

/**
 * Limits what is read from a viewer: 1000 messages per second and 2000 at once, 1 MB per second and
 * 8 MB at once.
 */
export class MessageRate {
  #messagesLeft: number = messages.maxBurst
  #bytesLeft: number = bytes.maxBurst
  #atMs: number

  constructor(nowMs: number) {
    this.#atMs = nowMs
  }

  /** Counts a message. Returns the milliseconds for which no more should be read. */
  add(nowMs: number, length: number): number {
    const seconds = (nowMs - this.#atMs) / 1000
    this.#messagesLeft = Math.min(messages.maxBurst, this.#messagesLeft + seconds * messages.perSecond) - 1
    this.#bytesLeft = Math.min(bytes.maxBurst, this.#bytesLeft + seconds * bytes.perSecond) - length
    this.#atMs = nowMs
    const missingSeconds = Math.max(-this.#messagesLeft / messages.perSecond, -this.#bytesLeft / bytes.perSecond)
    return Math.max(0, Math.ceil(missingSeconds * 1000))
  }
}
