/** Dependencies and limits of `ClientLag`. */
export interface ClientLagOptions {
  /** Bytes that are buffered for the client. */
  readonly bufferedBytes: () => number
  /** Whether other clients or the server wait for the browser, from which nothing is read. */
  readonly isHoldingUpOthers: () => boolean
  /** Called when the client starts to lag, and when it has read everything or has left. */
  readonly onChange: (isLagging: boolean) => void
  /** Called once if the client is too slow. */
  readonly onTooSlow: () => void
  /** Milliseconds for which a client may hold up others. Default: 10 s. */
  readonly maxHoldUpMs?: number | undefined
  /** Milliseconds within which a client must read `minProgressBytes`. Default: 20 s. */
  readonly progressMs?: number | undefined
  readonly checkMs?: number | undefined
}

/** Bytes that a lagging client must read in `progressMs`. */
const minProgressBytes = 4 * 1024 * 1024

/**
 * Tracks a client that reads more slowly than the browser writes. Messages of all clients come
 * through one pipe, so nothing is read from the browser meanwhile. The only client of a session may
 * be slow as long as it makes progress.
 */
export class ClientLag implements Disposable {
  readonly #options: ClientLagOptions
  #timer: NodeJS.Timeout | undefined
  #progress = { bytes: 0, atMs: 0 }
  #heldUpMs = 0
  #changedAtMs = 0

  constructor(options: ClientLagOptions) {
    this.#options = options
  }

  /** Whether the client lags. */
  get isActive(): boolean {
    return this.#timer !== undefined
  }

  start(): void {
    if (this.#timer !== undefined) return
    const nowMs = performance.now()
    this.#progress = { bytes: this.#options.bufferedBytes(), atMs: nowMs }
    // A client that lags repeatedly holds up others as much as one that lags for long.
    this.#heldUpMs = Math.max(0, this.#heldUpMs - (nowMs - this.#changedAtMs))
    this.#changedAtMs = nowMs
    this.#timer = setInterval(() => this.#check(performance.now()), this.#options.checkMs ?? 1000).unref()
    this.#options.onChange(true)
  }

  stop(): void {
    if (this.#timer === undefined) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#addHoldUp(performance.now())
    this.#options.onChange(false)
  }

  [Symbol.dispose](): void {
    this.stop()
  }

  #check(nowMs: number): void {
    const { bufferedBytes, onTooSlow, maxHoldUpMs = 10_000, progressMs = 20_000 } = this.#options
    const bytes = bufferedBytes()
    if (this.#progress.bytes - bytes >= minProgressBytes) this.#progress = { bytes, atMs: nowMs }
    this.#addHoldUp(nowMs)
    if (this.#heldUpMs <= maxHoldUpMs && nowMs - this.#progress.atMs <= progressMs) return
    this.stop()
    onTooSlow()
  }

  #addHoldUp(nowMs: number): void {
    if (this.#options.isHoldingUpOthers()) this.#heldUpMs += nowMs - this.#changedAtMs
    this.#changedAtMs = nowMs
  }
}
