import { onThisServer } from './on-this-server.ts'

/** Sends a message over the connection that received one, unless it has closed. */
type Reply = (message: object) => void

/** Callbacks of a `LiveViewSocket`. */
interface SocketEvents<Message> {
  readonly onMessage: (message: Message, reply: Reply) => void
  /** A frame. Default: frames are ignored. */
  readonly onFrame?: (frame: ArrayBuffer, reply: Reply) => void
}

const retryMs = 2000

/**
 * Connection to the live view of a session by its URL, without the API key. Reconnects until the
 * session has ended. Disposing disconnects.
 */
export class LiveViewSocket<Message extends { readonly type: string }> implements Disposable {
  readonly #address: URL
  readonly #events: SocketEvents<Message>
  #socket: WebSocket | undefined
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  #hasEnded = false

  constructor(liveViewUrl: string, events: SocketEvents<Message>) {
    this.#events = events
    this.#address = new URL(onThisServer(liveViewUrl), location.href)
    this.#address.protocol = this.#address.protocol.replace('http', 'ws')
    this.#address.pathname += '/socket'
    this.#connect()
  }

  /** Whether the session has ended, or the socket is disposed of. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  [Symbol.dispose](): void {
    this.#hasEnded = true
    clearTimeout(this.#retryTimer)
    this.#socket?.close()
  }

  #connect(): void {
    const socket = new WebSocket(this.#address)
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => this.#receive(socket, data))
    socket.addEventListener('close', () => {
      if (!this.#hasEnded) this.#retryTimer = setTimeout(() => this.#connect(), retryMs)
    })
  }

  #receive(socket: WebSocket, data: string | ArrayBuffer): void {
    if (this.#hasEnded) return
    const reply: Reply = (message) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
    }
    if (data instanceof ArrayBuffer) return this.#events.onFrame?.(data, reply)
    const message = JSON.parse(data) as Message
    if (message.type === 'ended') this.#hasEnded = true
    this.#events.onMessage(message, reply)
  }
}
