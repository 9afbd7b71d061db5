const perSecond = 1000
const maxBurst = 2000

/** Limits the messages of a viewer: 1000 per second, and 2000 at once. */
export class MessageRate {
  #left = maxBurst
  #atMs: number

  constructor(nowMs: number) {
    this.#atMs = nowMs
  }

  /** Counts a message. Returns the milliseconds for which no more should be read. */
  add(nowMs: number): number {
    this.#left = Math.min(maxBurst, this.#left + ((nowMs - this.#atMs) * perSecond) / 1000) - 1
    this.#atMs = nowMs
    return this.#left >= 0 ? 0 : Math.ceil((-this.#left * 1000) / perSecond)
  }
}
