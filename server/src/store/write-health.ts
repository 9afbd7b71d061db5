/** Milliseconds without the outcome of a write after which writes count as failing. */
const hungAfterMs = 20_000

/** Tracks whether writes to the store, which happen every few seconds, succeed. */
export class WriteHealth {
  #error: unknown
  #notedMs: number | undefined

  /** Records the outcome of a write: its error, or `undefined` if it succeeded. */
  note(error: unknown): void {
    this.#error = error
    this.#notedMs = performance.now()
  }

  /** Whether the last write failed, or the current one hangs. */
  get isFailing(): boolean {
    const isHung = this.#notedMs !== undefined && performance.now() - this.#notedMs > hungAfterMs
    return this.#error !== undefined || isHung
  }
}
