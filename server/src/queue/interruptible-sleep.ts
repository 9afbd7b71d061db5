/** Sleep that can be interrupted. `wake` outside of a sleep makes the next one return at once. */
export class InterruptibleSleep {
  #isDue = false
  #end: (() => void) | undefined

  /** Ends the current or the next sleep. */
  wake(): void {
    this.#isDue = true
    this.#end?.()
  }

  /** Sleeps until `wake` is called, at most `maxMs`. */
  async sleep(maxMs: number): Promise<void> {
    const woken = Promise.withResolvers<void>()
    this.#end = woken.resolve
    if (this.#isDue) woken.resolve()
    const timer = setTimeout(woken.resolve, maxMs).unref()
    await woken.promise
    clearTimeout(timer)
    this.#end = undefined
    this.#isDue = false
  }
}
