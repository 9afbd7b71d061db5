import { FrameError } from './frame-error.ts'
import type { MessageReservation } from './message-memory.ts'

/** Milliseconds between two checks. */
const checkMs = 5000

/** Number of checks without progress after which the connection is closed. */
const maxStalledChecks = 3

/** Bytes that must arrive between two checks. */
const minProgressBytes = 32 * 1024

/** Smaller messages may take any time. */
const watchedBytes = 64 * 1024

/** Dependencies of `UnfinishedMessage`. */
export interface UnfinishedMessageDeps {
  /** Counts its bytes. */
  readonly held: MessageReservation
  /** Whether the server does not read from the client. Such time does not count. */
  readonly isPaused: () => boolean
  /** Called once if the message is too slow. */
  readonly onStalled: (error: FrameError) => void
}

/** The message that a WebSocket client is sending: counts its bytes, and watches its progress. */
export class UnfinishedMessage implements Disposable {
  readonly #deps: UnfinishedMessageDeps
  #timer: NodeJS.Timeout | undefined
  #bytes = 0
  #checkedBytes = 0
  #stalledChecks = 0

  constructor(deps: UnfinishedMessageDeps) {
    this.#deps = deps
  }

  /** Sets the bytes that have arrived. Throws FrameError if there is no room for them. */
  update(bytes: number): void {
    if (bytes <= watchedBytes && this.#bytes <= watchedBytes) {
      this.#bytes = bytes
      return
    }
    this.#bytes = bytes
    this.#deps.held.set(bytes)
    if (bytes <= watchedBytes) this.#stop()
    else this.#timer ??= setInterval(() => this.#check(), checkMs).unref()
  }

  /** Records that the message is complete. The next one has its own time. */
  complete(): void {
    this.#checkedBytes = 0
    this.#stalledChecks = 0
  }

  [Symbol.dispose](): void {
    this.#stop()
    this.#deps.held[Symbol.dispose]()
  }

  #stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.complete()
  }

  #check(): void {
    const hasProgress = this.#bytes - this.#checkedBytes >= minProgressBytes
    this.#stalledChecks = hasProgress || this.#deps.isPaused() ? 0 : this.#stalledChecks + 1
    this.#checkedBytes = this.#bytes
    if (this.#stalledChecks < maxStalledChecks) return
    this.#stop()
    const seconds = (checkMs * maxStalledChecks) / 1000
    this.#deps.onStalled(new FrameError(1008, `A message arrived at less than 6 kB/s for ${seconds} s: send it faster`))
  }
}
