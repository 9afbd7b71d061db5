import type { IncomingMessage } from 'node:http'
import type { EndReason } from 'bowline/contract/browser'
import { resumeSecondsHeader } from 'bowline/contract/resume'
import { closeCodes } from 'bowline/contract/close-codes'
import { MessageMemory } from '../kit/message-memory.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { CdpClient } from './cdp-client.ts'
import { ClientBuffers } from './client-buffers.ts'
import { ClientConnection } from './client-connection.ts'
import { findTarget } from '../sessions/discover-targets.ts'
import { readResumeRequest, type ResumeRequest } from './resume-request.ts'
import { acceptWebSocket, checkHandshake, type ServerWebSocket, type Upgrade } from './web-socket.ts'

/** Dependencies and settings of `Gateway`. */
export interface GatewayDeps {
  readonly sessions: Sessions
  /** Seconds for which a lost connection can be resumed. 0: it cannot. */
  readonly resumeSeconds: number
  /** Returns the URL under which a client has addressed the server, without trailing slash. */
  readonly baseUrlOf: (request: IncomingMessage) => string
  /** Limits the memory for messages that are not complete yet. Default: one of its own. */
  readonly messages?: MessageMemory | undefined
  readonly onError: (error: unknown, action: string) => void
}

/** Query and target of a CDP URL. */
export interface CdpAddress {
  readonly query: URLSearchParams
  /** Target to connect to. Undefined: the browser. */
  readonly targetId: string | undefined
}

/** Maximum size of a client's message in bytes: fits a 100 MB response body in base64. */
const maxPayloadBytes = 256 * 1024 * 1024

const checkMs = 20_000

/** Connects CDP clients to the browsers of live sessions. Callers authorize them first. */
export class Gateway implements Disposable {
  readonly #deps: GatewayDeps
  readonly #clients = new Set<CdpClient>()
  /** Connections that can be resumed, by session id, target and the key that the client chose. */
  readonly #resumable = new Map<string, ClientConnection>()
  readonly #buffers = new ClientBuffers()
  readonly #messages: MessageMemory
  readonly #timer: NodeJS.Timeout

  constructor(deps: GatewayDeps) {
    this.#deps = deps
    this.#messages = deps.messages ?? new MessageMemory()
    this.#timer = setInterval(() => {
      const nowMs = performance.now()
      for (const client of this.#clients) client.pingOrClose(nowMs)
    }, checkMs).unref()
  }

  /** Number of clients that are connected, or have lost their connection and may resume it. */
  get size(): number {
    return this.#clients.size
  }

  /**
   * Opens a channel to the session's browser and completes the handshake. A client that resumes its
   * connection continues on its channel. Throws BAD_REQUEST, TARGET_NOT_FOUND.
   */
  async connect(session: LiveSession, upgrade: Upgrade, { query, targetId }: CdpAddress): Promise<void> {
    checkHandshake(upgrade.request)
    const resume = readResumeRequest(query)
    if (resume?.received === undefined) return this.#open(session, upgrade, { resume, targetId })
    // A closed socket emits nothing any more, so its connection would never end.
    if (upgrade.socket.destroyed) return
    const connection = this.#resumable.get(mapKey(session, resume, targetId))
    const { received } = resume
    const webSocket = this.#accept(session, upgrade)
    if (connection?.canResumeAt(received) === true) connection.resume(webSocket, received)
    else webSocket.close(closeCodes['not-resumable'], 'not-resumable')
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    for (const client of this.#clients) client.terminate()
  }

  async #open(
    session: LiveSession,
    upgrade: Upgrade,
    { resume, targetId }: { readonly resume: ResumeRequest | undefined; readonly targetId: string | undefined },
  ): Promise<void> {
    const { router } = session.browser
    let client: CdpClient | undefined
    const target = targetId === undefined ? undefined : await findTarget(session, targetId)
    const channel = await router.openChannel(
      (message) => client?.deliver(message),
      target && { targetId: target.id, onDetached: () => client?.endTarget() },
    )
    session.touch()
    if (session.ended.aborted || upgrade.socket.destroyed) {
      upgrade.socket.destroy()
      await channel[Symbol.asyncDispose]()
      return
    }
    const limits = this.#buffers.limitsOf(session)
    const connection = new ClientConnection(resume === undefined ? 0 : this.#deps.resumeSeconds * 1000, limits)
    client = new CdpClient({
      connection,
      session,
      channel,
      isHoldingUpOthers: () => router.isAwaited() || this.#hasOthers(session, client),
      endSession: () => this.#endSession(session.row.id),
      maxBufferedBytes: limits.maxBufferedBytes,
      heldMemory: this.#buffers.heldMemoryOf(session),
      target,
      baseUrl: this.#deps.baseUrlOf(upgrade.request),
    })
    const forget = resume === undefined ? undefined : this.#keep(mapKey(session, resume, targetId), connection)
    this.#start(client, { connection, webSocket: this.#accept(session, upgrade), forget })
  }

  #accept({ row }: LiveSession, upgrade: Upgrade): ServerWebSocket {
    const headers = { [resumeSecondsHeader]: String(this.#deps.resumeSeconds) }
    return acceptWebSocket(upgrade, { maxPayloadBytes, headers, held: this.#messages.open(row) })
  }

  /** Starts the connection of a new client. `forget` is called when it has ended. */
  #start(
    client: CdpClient,
    {
      connection,
      webSocket,
      forget,
    }: {
      readonly connection: ClientConnection
      readonly webSocket: ServerWebSocket
      readonly forget: (() => void) | undefined
    },
  ): void {
    const { session } = client
    const stopDraining = session.browser.router.onDrain(() => client.resume())
    const onEnd = (): void => client.endSession(session.ended.reason as EndReason)
    session.ended.addEventListener('abort', onEnd)
    this.#clients.add(client)
    const freeBuffers = this.#buffers.add(session)
    const parsing = this.#buffers.parsingBudgetOf(session)
    connection.start(webSocket, {
      onMessage: (message) => {
        const pauseMs = parsing.spend(message, performance.now())
        if (pauseMs > 0) connection.pauseFor(pauseMs)
        client.receive(message)
      },
      onAlive: () => client.markAlive(),
      onDrain: () => client.stopLagging(),
      onEnd: () => {
        this.#clients.delete(client)
        freeBuffers()
        forget?.()
        session.ended.removeEventListener('abort', onEnd)
        stopDraining()
        client
          .leave()
          .then(() => session.downloads.onClientLeave())
          .catch((error: unknown) => this.#deps.onError(error, `detaching a client from session ${session.row.id}`))
      },
    })
  }

  /** Makes a connection resumable until the returned function is called. */
  #keep(key: string, connection: ClientConnection): () => void {
    // A client that starts again with the same key does not want the former state.
    this.#resumable.get(key)?.close('replaced')
    this.#resumable.set(key, connection)
    return () => {
      if (this.#resumable.get(key) === connection) this.#resumable.delete(key)
    }
  }

  #hasOthers(session: LiveSession, client: CdpClient | undefined): boolean {
    return [...this.#clients].some((other) => other !== client && other.session === session)
  }

  #endSession(id: string): void {
    this.#deps.sessions.end(id, 'deleted').catch((error: unknown) => this.#deps.onError(error, `ending session ${id}`))
  }
}

function mapKey({ row }: LiveSession, { key }: ResumeRequest, targetId = ''): string {
  return `${row.id} ${targetId} ${key}`
}
