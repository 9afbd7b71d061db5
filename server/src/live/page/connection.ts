import type { ServerMessage } from '../server-message.ts'
import type { ViewerMessage } from '../viewer-message.ts'

/** What a connection tells the page. */
export interface ConnectionEvents {
  readonly onMessage: (message: ServerMessage) => void
  readonly onFrame: (frame: ArrayBuffer) => void
  /** The connection was lost; it is being made again. */
  readonly onLost: () => void
}

/** A WebSocket beside the page that is made again whenever it is lost. */
export interface Connection {
  /** Sends. While there is no connection, only what is let go of is kept: it must not stay pressed in the page. */
  readonly send: (message: ViewerMessage) => void
  /** Makes it the last one: it is not made again when the server closes it. */
  readonly end: () => void
}

const firstDelayMs = 250
const longestDelayMs = 8000

/** The server sends something at least every 15 s. */
const silenceMs = 40_000

/** Connects to the session that the page's address names, and keeps doing so. */
export function connect(events: ConnectionEvents): Connection {
  let socket: WebSocket | undefined
  let attempts = 0
  let hasEnded = false
  let retry: ReturnType<typeof setTimeout> | undefined
  const silence = watchSilence(() => lose())
  const releases: ViewerMessage[] = []

  const send = (message: ViewerMessage): void => {
    if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
    else if (isRelease(message) && releases.length < mostReleases) releases.push(message)
  }
  const retryAt = (delayMs: number): void => {
    clearTimeout(retry)
    retry = setTimeout(open, delayMs)
  }
  const onClose = (): void => {
    silence.end()
    if (hasEnded) return
    events.onLost()
    const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** attempts)
    attempts += 1
    void showWhyRefused().then(() => retryAt(delayMs * (0.75 + Math.random() / 2)))
  }
  const open = (): void => {
    clearTimeout(retry)
    // Both the time and the return of the network lead here, and each connection is one more viewer.
    if (isOpen(socket)) return
    const opening = new WebSocket(socketUrl())
    socket = opening
    opening.binaryType = 'arraybuffer'
    opening.addEventListener('open', () => {
      attempts = 0
      silence.begin()
    })
    opening.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
      if (opening !== socket) return
      silence.begin()
      if (typeof data !== 'string') return events.onFrame(data)
      const message = JSON.parse(data) as ServerMessage
      events.onMessage(message)
      if (message.type === 'hello') for (const release of releases.splice(0)) send(release)
    })
    // A lost connection is left alone: its end may be told of long after the next one was made.
    opening.addEventListener('close', () => opening === socket && onClose())
  }
  // Without a network its end may be long in coming. Whatever it still brings is not heard.
  const lose = (): void => {
    if (isClosed(socket)) return
    socket?.close()
    socket = undefined
    onClose()
  }
  addEventListener('online', () => isClosed(socket) && !hasEnded && retryAt(0))
  addEventListener('offline', lose)
  open()
  return {
    send,
    end: () => {
      hasEnded = true
      clearTimeout(retry)
    },
  }
}

function watchSilence(onSilent: () => void): { readonly begin: () => void; readonly end: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    begin: () => {
      clearTimeout(timer)
      timer = setTimeout(onSilent, silenceMs)
    },
    end: () => clearTimeout(timer),
  }
}

function isClosed(socket: WebSocket | undefined): boolean {
  return socket === undefined || socket.readyState === WebSocket.CLOSED
}

function isOpen(socket: WebSocket | undefined): boolean {
  return socket?.readyState === WebSocket.CONNECTING || socket?.readyState === WebSocket.OPEN
}

/** Of what is pressed while there is no connection, nothing needs to be let go of. */
const mostReleases = 50

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

/** A refused WebSocket does not say why, but the page at the same address does. */
async function showWhyRefused(): Promise<void> {
  const signal = AbortSignal.timeout(patienceMs)
  const response = await fetch(location.href, { headers: { accept: 'text/html' }, signal }).catch(() => undefined)
  if (response !== undefined && response.status !== 200 && response.status < 500) location.reload()
}

/** A network that swallows everything must not hold up the next try. */
const patienceMs = 5000
