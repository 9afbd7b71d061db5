import { WebSocket, type RawData } from 'ws'
import { resumeSecondsHeader } from '../contract/resume.ts'

/** A WebSocket that carries CDP. */
export interface CdpSocket {
  readonly webSocket: WebSocket
  /** Seconds for which the service keeps a lost connection. 0: it does not. */
  readonly resumeSeconds: number
}

/** Callbacks of a WebSocket. */
export interface CdpSocketListener {
  readonly onMessage: (message: string, webSocket: WebSocket) => void
  /** Called when the WebSocket has closed, if it was open. */
  readonly onClose: (code: number, reason: string) => void
}

/** A handshake that the service refused. */
export class HandshakeRefused extends Error {
  readonly status: number

  constructor(status: number, why: string) {
    super(`the service returned ${status}: ${why}`)
    this.status = status
  }
}

/** Maximum size of a message from the browser in bytes: the limit of both libraries. */
const maxPayloadBytes = 256 * 1024 * 1024

/**
 * Opens a WebSocket to a CDP URL. `timeoutMs` limits the handshake. Rejects with `HandshakeRefused`
 * if the service refuses the connection.
 */
export async function openCdpSocket(url: string, listener: CdpSocketListener, timeoutMs: number): Promise<CdpSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<CdpSocket>()
  const webSocket = new WebSocket(url, {
    followRedirects: true,
    // Without this limit, a stalled handshake would keep this process alive.
    handshakeTimeout: timeoutMs,
    perMessageDeflate: false,
    // Deliver each message in its own task, as both libraries expect.
    allowSynchronousEvents: false,
    maxPayload: maxPayloadBytes,
  })
  let resumeSeconds = 0
  webSocket.on('upgrade', ({ headers }) => {
    resumeSeconds = Number(headers[resumeSecondsHeader] ?? 0)
  })
  webSocket.on('open', () => {
    webSocket.on('close', (code, reason) => listener.onClose(code, reason.toString()))
    resolve({ webSocket, resumeSeconds })
  })
  webSocket.on('error', reject)
  webSocket.on('unexpected-response', (_request, response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (part: string) => {
      text += part
    })
    response.on('close', () => {
      reject(new HandshakeRefused(response.statusCode ?? 0, errorOf(text)))
      webSocket.terminate()
    })
  })
  webSocket.on('message', (data: RawData) => listener.onMessage((data as Buffer).toString(), webSocket))
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
