import { WebSocket, type RawData } from 'ws'

/** A WebSocket connection that carries CDP. */
export interface CdpConnection {
  readonly send: (message: string) => void
  readonly close: () => void
}

/** Callbacks of a connection. */
export interface CdpListener {
  readonly onMessage: (message: string) => void
  readonly onClose: (reason: string) => void
}

/** Maximum size of a message from the browser in bytes: the limit of both libraries. */
const maxPayloadBytes = 256 * 1024 * 1024

/**
 * Connects to a CDP URL. `timeoutMs` limits the handshake. Default: 30000. Rejects with the error
 * of the service if it refuses the connection.
 */
export async function openCdpConnection(
  url: string,
  listener: CdpListener,
  timeoutMs = 30_000,
): Promise<CdpConnection> {
  const { promise, resolve, reject } = Promise.withResolvers<CdpConnection>()
  const socket = new WebSocket(url, {
    followRedirects: true,
    // Without this limit, a stalled handshake would keep this process alive.
    handshakeTimeout: timeoutMs,
    perMessageDeflate: false,
    // Deliver each message in its own task, as both libraries expect.
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
      reject(new Error(`the service returned ${response.statusCode}: ${errorOf(text)}`))
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
    // Not the JSON of a Bowline server.
    return text.slice(0, 200)
  }
}
