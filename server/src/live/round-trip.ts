import type { WebSocket } from 'ws'

/** Measures how long a message takes to a viewer and back. */
export class RoundTrip {
  readonly #webSocket: WebSocket
  /** The shortest one so far, as messages may wait behind frames. */
  #shortestMs = Infinity

  constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket
    webSocket.on('pong', (data) => {
      const elapsedMs = performance.now() - Number(data.toString())
      if (elapsedMs >= 0) this.#shortestMs = Math.min(this.#shortestMs, elapsedMs)
    })
  }

  /** In milliseconds. 0 if it is not known yet. */
  get ms(): number {
    return this.#shortestMs === Infinity ? 0 : this.#shortestMs
  }

  /** Starts a measurement. */
  ping(): void {
    if (this.#webSocket.readyState === this.#webSocket.OPEN) this.#webSocket.ping(String(performance.now()))
  }
}
