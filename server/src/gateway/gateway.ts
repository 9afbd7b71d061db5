import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'
import type { EndReason } from 'bowline/contract/browser'
import type { CdpRouter } from '../cdp/router.ts'
import { isClientFault } from '../cdp/socket-fault.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { CdpClient, lagGate } from './cdp-client.ts'
import { PageFocus } from './page-focus.ts'

/** A WebSocket upgrade that was let in. */
export interface Upgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
}

/** Largest message a client may send, in bytes: room for a 100 MB response body in base64. */
const maxPayloadBytes = 256 * 1024 * 1024

const checkMs = 20_000

/** Connects CDP clients to the browsers of live sessions. Authorisation happens before. */
export class Gateway implements Disposable {
  readonly #sessions: Sessions
  readonly #onError: (error: unknown, what: string) => void
  // Deflate costs more time than it saves bytes: 1.7 to 2.1 times the round trip.
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: maxPayloadBytes })
  readonly #clients = new Set<CdpClient>()
  readonly #gates = new WeakMap<CdpRouter, ReturnType<typeof lagGate>>()
  readonly #focuses = new WeakMap<LiveSession, PageFocus>()
  readonly #onLeave: (session: LiveSession) => void
  readonly #timer: NodeJS.Timeout

  /** `onLeave` is called when the browser has let go of a client. */
  constructor(
    sessions: Sessions,
    onError: (error: unknown, what: string) => void,
    onLeave: (session: LiveSession) => void = () => undefined,
  ) {
    this.#sessions = sessions
    this.#onError = onError
    this.#onLeave = onLeave
    this.#timer = setInterval(() => {
      const nowMs = performance.now()
      for (const client of this.#clients) client.check(nowMs)
    }, checkMs).unref()
  }

  /** Connected clients. */
  get size(): number {
    return this.#clients.size
  }

  /** Which page of a session its clients drove last. */
  focusOf(session: LiveSession): PageFocus {
    const focus = this.#focuses.get(session) ?? new PageFocus()
    this.#focuses.set(session, focus)
    return focus
  }

  /** Opens a channel into the session's browser, then completes the handshake. */
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
        focus: this.focusOf(session),
        onLag: (isLagging) => this.#gate(router)(webSocket, isLagging),
        endSession: () => this.#endSession(session.row.id),
      })
      this.#keep(client, webSocket, session)
    })
    // `ws` has already answered a handshake it cannot accept; its callback was not called then.
    if (client === undefined) await channel[Symbol.asyncDispose]()
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#server.close()
    for (const webSocket of this.#server.clients) webSocket.terminate()
  }

  #keep(client: CdpClient, webSocket: WebSocket, session: LiveSession): void {
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
        .then(() => this.#onLeave(session))
        .catch((error: unknown) => this.#onError(error, `leaving session ${session.row.id}`))
    })
  }

  #gate(router: CdpRouter): ReturnType<typeof lagGate> {
    const gate = this.#gates.get(router) ?? lagGate(router)
    this.#gates.set(router, gate)
    return gate
  }

  #endSession(id: string): void {
    this.#sessions.end(id, 'deleted').catch((error: unknown) => this.#onError(error, `ending session ${id}`))
  }
}
