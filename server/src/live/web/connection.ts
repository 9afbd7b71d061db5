import type { ServerMessage } from '../server-message.ts'
import type { ViewerMessage } from '../viewer-message.ts'

/** Callbacks of a connection. */
export interface ConnectionEvents {
  readonly onMessage: (message: ServerMessage) => void
  readonly onFrame: (frame: ArrayBuffer) => void
  /** The connection was lost and is being reopened. */
  readonly onLost: () => void
}

const firstDelayMs = 250
const maxDelayMs = 8000

/** The server sends a message at least every 15 s. */
const receiveTimeoutMs = 40_000

const maxReleases = 50

/** A WebSocket to the session of this page that reconnects whenever it is lost. */
export class Connection {
  readonly #events: ConnectionEvents
  readonly #releases: ViewerMessage[] = []
  #socket: WebSocket | undefined
  #attempts = 0
  #hasEnded = false
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  #receiveTimer: ReturnType<typeof setTimeout> | undefined

  constructor(events: ConnectionEvents) {
    this.#events = events
    addEventListener('online', () => {
      if (isClosed(this.#socket) && !this.#hasEnded) this.#retryAfter(0)
    })
    addEventListener('offline', this.#drop)
    this.#open()
  }

  /**
   * Sends a message. While disconnected, only releases of keys and buttons are kept, so that
   * nothing stays pressed in the page.
   */
  readonly send = (message: ViewerMessage): void => {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message))
    else if (isRelease(message) && this.#releases.length < maxReleases) this.#releases.push(message)
  }

  /** Stops reconnecting. */
  end(): void {
    this.#hasEnded = true
    clearTimeout(this.#retryTimer)
  }

  readonly #open = (): void => {
    clearTimeout(this.#retryTimer)
    // Called by the timer and by the `online` event. Each connection would count as a viewer.
    if (isOpen(this.#socket)) return
    const socket = new WebSocket(socketUrl())
    this.#socket = socket
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('open', () => {
      this.#attempts = 0
      this.#expectMessage()
    })
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (socket === this.#socket) this.#receive(data)
    })
    // The close event of a dropped socket may arrive long after the next one was opened.
    socket.addEventListener('close', () => {
      if (socket === this.#socket) this.#onClose()
    })
  }

  #receive(data: string | ArrayBuffer): void {
    this.#expectMessage()
    if (typeof data !== 'string') return this.#events.onFrame(data)
    const message = JSON.parse(data) as ServerMessage
    this.#events.onMessage(message)
    if (message.type === 'hello') for (const release of this.#releases.splice(0)) this.send(release)
  }

  #expectMessage(): void {
    clearTimeout(this.#receiveTimer)
    this.#receiveTimer = setTimeout(this.#drop, receiveTimeoutMs)
  }

  // Without a network the close event may take long. Later events of this socket are ignored.
  readonly #drop = (): void => {
    if (isClosed(this.#socket)) return
    this.#socket?.close()
    this.#socket = undefined
    this.#onClose()
  }

  #onClose(): void {
    clearTimeout(this.#receiveTimer)
    if (this.#hasEnded) return
    this.#events.onLost()
    const delayMs = Math.min(maxDelayMs, firstDelayMs * 2 ** this.#attempts)
    this.#attempts += 1
    void reloadIfRefused().then(() => this.#retryAfter(delayMs * (0.75 + Math.random() / 2)))
  }

  #retryAfter(delayMs: number): void {
    clearTimeout(this.#retryTimer)
    this.#retryTimer = setTimeout(this.#open, delayMs)
  }
}

function isClosed(socket: WebSocket | undefined): boolean {
  return socket === undefined || socket.readyState === WebSocket.CLOSED
}

function isOpen(socket: WebSocket | undefined): boolean {
  return socket?.readyState === WebSocket.CONNECTING || socket?.readyState === WebSocket.OPEN
}

function isRelease(message: ViewerMessage): boolean {
  return 'action' in message && (message.action === 'up' || message.action === 'end' || message.action === 'cancel')
}

function socketUrl(): string {
  const url = new URL(location.href)
  url.protocol = url.protocol.replace('http', 'ws')
  url.pathname += '/socket'
  url.hash = ''
  return url.href
}

const pageTimeoutMs = 5000

/**
 * A refused WebSocket does not include the reason. The page at the same URL does, so it is fetched.
 */
async function reloadIfRefused(): Promise<void> {
  const signal = AbortSignal.timeout(pageTimeoutMs)
  // The server cannot be reached. The next attempt checks again.
  const response = await fetch(location.href, { headers: { accept: 'text/html' }, signal }).catch(() => undefined)
  if (response !== undefined && response.status !== 200 && response.status < 500) location.reload()
}
