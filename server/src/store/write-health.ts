/** Tracks whether writes to the store succeed. */
export class WriteHealth {
  #error: unknown

  /** Records the outcome of a write: its error, or `undefined` if it succeeded. */
  note(error: unknown): void {
    this.#error = error
  }

  get isFailing(): boolean {
    return this.#error !== undefined
  }
}
