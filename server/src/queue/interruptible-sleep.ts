/** A sleep that others can end. A call that comes while nobody sleeps ends the next sleep at once. */
export class InterruptibleSleep {
  #isDue = false
  #end: (() => void) | undefined

  /** Ends the sleep. */
  wake(): void {
    this.#isDue = true
    this.#end?.()
  }

  /** Sleeps until called, at most `atMostMs`. */
  async sleep(atMostMs: number): Promise<void> {
    const called = Promise.withResolvers<void>()
    this.#end = called.resolve
    if (this.#isDue) called.resolve()
    const timer = setTimeout(called.resolve, atMostMs).unref()
    await called.promise
    clearTimeout(timer)
    this.#end = undefined
    this.#isDue = false
  }
}
