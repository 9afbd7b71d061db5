import { WebSocket, type RawData } from 'ws'

/** A WebSocket that carries CDP. */
export interface CdpConnection {
  readonly send: (message: string) => void
  readonly close: () => void
}

/** What a connection calls. */
export interface CdpListener {
  readonly onMessage: (message: string) => void
  readonly onClose: (reason: string) => void
}

/** Largest message taken from the browser, in bytes: as much as both libraries take. */
const maxPayloadBytes = 256 * 1024 * 1024

/** Connects to a CDP address within `timeoutMs` (default 30 s). Rejects with the service's own words when it refuses. */
export async function openCdpConnection(
  url: string,
  listener: CdpListener,
  timeoutMs = 30_000,
): Promise<CdpConnection> {
  const { promise, resolve, reject } = Promise.withResolvers<CdpConnection>()
  const socket = new WebSocket(url, {
    followRedirects: true,
    // Nobody else could end it, and it would keep this process.
    handshakeTimeout: timeoutMs,
    perMessageDeflate: false,
    // Each message is a task of its own, as the libraries expect.
    allowSynchronousEvents: false,
    maxPayload: maxPayloadBytes,
  })
  socket.on('open', () => {
    resolve({ send: (message) => socket.send(message), close: () => socket.close() })
    socket.on('close', (_code, reason) => listener.onClose(reason.toString()))
  })
  socket.on('error', reject)
  socket.on('unexpected-response', (_request, response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (part: string) => {
      text += part
    })
    response.on('close', () => {
      reject(new Error(`the service answered ${response.statusCode}: ${errorOf(text)}`))
      socket.terminate()
    })
  })
  socket.on('message', (data: RawData) => listener.onMessage((data as Buffer).toString()))
  return promise
}

function errorOf(text: string): string {
  try {
    return String((JSON.parse(text) as { error?: unknown }).error)
  } catch {
    return text.slice(0, 200)
  }
}
