/** Logger of a start. Compatible with pino. */
export interface StartLog {
  readonly info: (facts: Readonly<Record<string, unknown>>, message: string) => void
}

/** Logs the current step of a start every few seconds, until it is disposed of. */
export class SlowStartLog implements Disposable {
  readonly #timer: NodeJS.Timeout
  #step: string

  /** `intervalMs` is the time between two lines. Default: 5000. */
  constructor(log: StartLog, firstStep: string, intervalMs = 5000) {
    this.#step = firstStep
    const startedAt = performance.now()
    this.#timer = setInterval(() => {
      const seconds = Math.round((performance.now() - startedAt) / 1000)
      log.info({ step: this.#step, seconds }, 'the server is still starting')
    }, intervalMs).unref()
  }

  /** Sets the step that begins now. */
  begin(step: string): void {
    this.#step = step
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
