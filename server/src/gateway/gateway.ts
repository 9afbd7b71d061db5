import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import type { EndReason } from 'bowline/contract/browser'
import { isClientFault } from '../cdp/socket-fault.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { CdpClient } from './cdp-client.ts'

/** An authorized WebSocket upgrade. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
}

/** Maximum size of a client's message in bytes: fits a 100 MB response body in base64. */
const maxPayloadBytes = 256 * 1024 * 1024

const checkMs = 20_000

/** Connects CDP clients to the browsers of live sessions. Callers authorize them first. */
export class Gateway implements Disposable {
  readonly #sessions: Sessions
  readonly #onError: (error: unknown, action: string) => void
  // Compression costs more than it saves: round trips take 1.7 to 2.1 times as long.
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: maxPayloadBytes })
  readonly #clients = new Set<CdpClient>()
  readonly #timer: NodeJS.Timeout

  constructor(sessions: Sessions, onError: (error: unknown, action: string) => void) {
    this.#sessions = sessions
    this.#onError = onError
    this.#timer = setInterval(() => {
      const nowMs = performance.now()
      for (const client of this.#clients) client.pingOrClose(nowMs)
    }, checkMs).unref()
  }

  /** Number of connected clients. */
  get size(): number {
    return this.#clients.size
  }

  /** Opens a channel to the session's browser, then completes the handshake. */
  async connect(session: LiveSession, { request, socket, head }: Upgrade): Promise<void> {
    const { router } = session.browser
    let client: CdpClient | undefined
    const channel = await router.openChannel((message) => client?.deliver(message))
    session.touch()
    if (session.ended.aborted || socket.destroyed) {
      socket.destroy()
      await channel[Symbol.asyncDispose]()
      return
    }
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      socket.setNoDelay(true)
      client = new CdpClient({
        webSocket,
        socket,
        session,
        channel,
        isHoldingUpOthers: () => router.isAwaited() || this.#hasOthers(session, client),
        endSession: () => this.#endSession(session.row.id),
      })
      this.#addClient(client, webSocket, session)
    })
    // If the handshake is invalid, `ws` has already responded with an error and did not call back.
    if (client === undefined) await channel[Symbol.asyncDispose]()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#server.close()
    for (const webSocket of this.#server.clients) webSocket.terminate()
  }

  #addClient(client: CdpClient, webSocket: WebSocket, session: LiveSession): void {
    const stopDraining = session.browser.router.onDrain(() => client.resume())
    const onEnd = (): void => client.endSession(session.ended.reason as EndReason)
    session.ended.addEventListener('abort', onEnd)
    this.#clients.add(client)
    webSocket.on('error', (error) => {
      if (!isClientFault(error)) this.#onError(error, `CDP socket of session ${session.row.id}`)
    })
    webSocket.on('close', () => {
      this.#clients.delete(client)
      session.ended.removeEventListener('abort', onEnd)
      stopDraining()
      client
        .leave()
        .then(() => session.downloads.onClientLeave())
        .catch((error: unknown) => this.#onError(error, `detaching a client from session ${session.row.id}`))
    })
  }

  #hasOthers(session: LiveSession, client: CdpClient | undefined): boolean {
    return [...this.#clients].some((other) => other !== client && other.session === session)
  }

  #endSession(id: string): void {
    this.#sessions.end(id, 'deleted').catch((error: unknown) => this.#onError(error, `ending session ${id}`))
  }
}
