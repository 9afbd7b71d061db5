const sliceMs = 1000

/**
 * A timeout that counts only the time for which this process runs. `AbortSignal.timeout` also
 * counts the time for which it was stopped (SIGSTOP, a frozen container, a paused virtual machine),
 * so that work which was about to finish would fail afterwards. Disposing ends it.
 */
export class RunningTimeout implements Disposable {
  readonly #controller = new AbortController()
  #leftMs: number
  #timer: NodeJS.Timeout | undefined

  /** `timeoutMs`: running time in milliseconds after which `signal` aborts with a TimeoutError. */
  constructor(timeoutMs: number) {
    this.#leftMs = timeoutMs
    this.#wait()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether the time is over. */
  get isOver(): boolean {
    return this.signal.aborted
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  #wait(): void {
    const slice = Math.min(this.#leftMs, sliceMs)
    const startedAt = performance.now()
    this.#timer = setTimeout(() => {
      // On a busy machine, a timer is late by less than its time.
      this.#leftMs -= Math.min(performance.now() - startedAt, 2 * slice)
      if (this.#leftMs > 0) this.#wait()
      else this.#controller.abort(new DOMException('The time is over', 'TimeoutError'))
    }, slice).unref()
  }
}
