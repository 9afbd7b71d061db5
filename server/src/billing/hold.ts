/** Credits, and possibly a slot, reserved for work on this node. Disposing releases them. */
export class Hold implements AsyncDisposable {
  /** `undefined` if the team has no limits that apply to the work. */
  readonly id: string | undefined
  /** Reserved for the work. */
  readonly credits: number
  /** Milliseconds spent waiting for a slot. */
  readonly waitedMs: number
  readonly #close: (hold: { readonly isSettled: boolean }) => Promise<void>
  #isSettled = false
  #isOpen = true

  constructor(
    { id, credits, waitedMs }: Pick<Hold, 'id' | 'credits' | 'waitedMs'>,
    close: (hold: { readonly isSettled: boolean }) => Promise<void>,
  ) {
    this.id = id
    this.credits = credits
    this.waitedMs = waitedMs
    this.#close = close
  }

  /** Call this once the work is billed. Disposing then releases nothing. */
  markSettled(): void {
    this.#isSettled = true
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#close({ isSettled: this.#isSettled })
  }
}
