/** The part of a WebSocket that messages are sent on. */
export interface ResumableSocket {
  readonly OPEN: number
  readonly readyState: number
  readonly bufferedAmount: number
  send(message: string | Buffer, options: { readonly binary: boolean }): void
  ping(payload: string): void
  on(event: 'pong', listener: (payload: Buffer) => void): unknown
}

/** Bytes after which the peer is asked at once how much it has received. */
const ackBytes = 1024 * 1024

/** Milliseconds after which it is asked about less. */
const ackDelayMs = 250

/** Options of `ResumableSender`. */
export interface ResumableSenderOptions {
  /**
   * Returns the bytes kept for a peer that reads what it is sent, but does not acknowledge it.
   * Default: 64 MB.
   */
  readonly maxUnacknowledgedBytes?: () => number
}

const defaultUnacknowledgedBytes = 64 * 1024 * 1024

/**
 * Sends messages to a peer over one WebSocket after another, each of them once. Keeps messages
 * until the peer has acknowledged them, and sends the others again on the next WebSocket. To ask
 * for an acknowledgement, it sends a ping with the number of messages so far as its payload: every
 * WebSocket client answers it with a pong of the same payload, after the messages before it.
 */
export class ResumableSender implements Disposable {
  readonly #maxUnacknowledgedBytes: () => number
  #webSocket: ResumableSocket | undefined
  #messages: (string | Buffer)[] = []
  #bytes = 0
  /** Number of messages that are no longer kept. */
  #dropped = 0
  #isAwaitingAck = false
  #timer: NodeJS.Timeout | undefined

  constructor({ maxUnacknowledgedBytes = () => defaultUnacknowledgedBytes }: ResumableSenderOptions = {}) {
    this.#maxUnacknowledgedBytes = maxUnacknowledgedBytes
  }

  /** Bytes of the messages that were not acknowledged. */
  get unacknowledgedBytes(): number {
    return this.#bytes
  }

  /** Sends a message now, or on the next WebSocket. */
  send(message: string | Buffer): void {
    this.#messages.push(message)
    this.#bytes += message.length
    if (this.#webSocket === undefined) return
    this.#webSocket.send(message, { binary: false })
    const maxBytes = this.#maxUnacknowledgedBytes()
    if (this.#bytes > maxBytes) this.#dropRead(this.#webSocket.bufferedAmount + maxBytes)
    this.#askForAck(this.#webSocket)
  }

  /** Whether a peer that has received `received` messages can get all others. */
  canResumeAt(received: number): boolean {
    return received >= this.#dropped && received <= this.#dropped + this.#messages.length
  }

  /** Continues on another WebSocket, to a peer that has received `received` messages. */
  attach(webSocket: ResumableSocket, received: number): void {
    this.detach()
    this.#drop(received - this.#dropped)
    this.#webSocket = webSocket
    webSocket.on('pong', (payload) => {
      if (this.#webSocket === webSocket) this.#acknowledge(webSocket, payload)
    })
    for (const message of this.#messages) webSocket.send(message, { binary: false })
    if (this.#messages.length > 0) this.#askForAck(webSocket)
  }

  /** Keeps messages until the next WebSocket. */
  detach(): void {
    this.#webSocket = undefined
    this.#isAwaitingAck = false
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  [Symbol.dispose](): void {
    this.detach()
    this.#messages = []
    this.#bytes = 0
  }

  #askForAck(webSocket: ResumableSocket): void {
    if (this.#isAwaitingAck) return
    if (this.#bytes >= ackBytes) this.#ping(webSocket)
    else this.#timer ??= setTimeout(() => this.#ping(webSocket), ackDelayMs).unref()
  }

  #ping(webSocket: ResumableSocket): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (webSocket.readyState !== webSocket.OPEN) return
    this.#isAwaitingAck = true
    webSocket.ping(String(this.#dropped + this.#messages.length))
  }

  #acknowledge(webSocket: ResumableSocket, payload: Buffer): void {
    const received = Number(payload.toString('latin1'))
    // Pings that check whether the peer is alive have no payload.
    if (!Number.isInteger(received) || payload.length === 0 || !this.canResumeAt(received)) return
    this.#drop(received - this.#dropped)
    this.#isAwaitingAck = false
    if (this.#messages.length > 0) this.#askForAck(webSocket)
  }

  /** Drops the oldest messages that a peer which does not acknowledge must have read by now. */
  #dropRead(unread: number): void {
    let count = 0
    for (let bytes = this.#bytes; bytes > unread; count += 1) bytes -= this.#messages[count]?.length ?? bytes
    this.#drop(count)
  }

  #drop(count: number): void {
    for (const message of this.#messages.splice(0, count)) this.#bytes -= message.length
    this.#dropped += count
  }
}
