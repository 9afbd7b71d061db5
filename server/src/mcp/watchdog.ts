/** Options of `Watchdog`. */
export interface WatchdogOptions {
  /** Sends a message to which a process that works responds at once. */
  readonly ping: () => void
  /** Called once if the process has not responded for three intervals. */
  readonly onHung: () => void
  readonly intervalMs: number
}

/**
 * Number of unanswered pings after which a process hangs. Counted instead of measured: after this
 * process was paused itself, the next ping still gets a response.
 */
const maxUnanswered = 3

/** Notices that a process does not respond. Does not keep this process alive. */
export class Watchdog implements Disposable {
  readonly #timer: NodeJS.Timeout
  #unanswered = 0

  constructor({ ping, onHung, intervalMs }: WatchdogOptions) {
    this.#timer = setInterval(() => {
      if (this.#unanswered >= maxUnanswered) {
        this[Symbol.dispose]()
        return onHung()
      }
      this.#unanswered += 1
      ping()
    }, intervalMs).unref()
  }

  /** Records a message of the process. */
  noteMessage(): void {
    this.#unanswered = 0
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }
}
