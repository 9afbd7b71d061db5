import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { WebSocketServer, type WebSocket } from 'ws'
import type { EndReason } from 'bowline/contract/browser'
import { MessageMemory } from '../kit/message-memory.ts'
import { limitMessages } from './limit-messages.ts'
import { isClientFault } from './socket-fault.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { Ended } from './server-message.ts'
import type { LiveView } from './live-view.ts'
import { Viewer, type ViewerEvents } from './viewer.ts'
import type { WatchedBrowser } from './watched-browser.ts'

/** A session whose live view viewers may join. */
export interface ViewableSession {
  readonly row: Pick<SessionRow, 'id' | 'teamId'>
  readonly liveView: LiveView
  /** Aborts when the session ends. The reason is its EndReason. */
  readonly ended: AbortSignal
  /** Milliseconds since the session was admitted. */
  readonly ageMs: () => number
}

/** Dependencies of the viewers. */
export interface ViewersDeps {
  /** Resolves to the row of a session once the session is billed. */
  readonly billedRow: (id: string, reason: EndReason) => Promise<SessionRow | undefined>
  /** Limits the memory for messages that are not complete yet. Default: one of its own. */
  readonly messages?: MessageMemory | undefined
  readonly onError: (error: unknown, action: string) => void
}

/** An authorized WebSocket upgrade. */
export interface ViewerUpgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
}

/** Close code, however the session ended. Its reason text is the end reason. */
const viewEndCode = 4000

/**
 * Maximum message size in bytes, by the kind of link. Larger messages close the connection.
 * Interactive links allow for long pasted text; view-only links ignore messages over 512 bytes.
 */
const maxPayloadBytes = { view: 64 * 1024, interact: 4 * 1024 * 1024 } as const

const pingIntervalMs = 15_000

/** Accepts the WebSockets of authorized viewers, and adds them to the live views of sessions. */
export class Viewers implements Disposable {
  readonly #deps: ViewersDeps
  readonly #servers = { view: acceptMessages(maxPayloadBytes.view), interact: acceptMessages(maxPayloadBytes.interact) }
  readonly #viewers = new Set<Viewer>()
  readonly #messages: MessageMemory
  readonly #timer: NodeJS.Timeout
  #refusals = 0

  constructor(deps: ViewersDeps) {
    this.#deps = deps
    this.#messages = deps.messages ?? new MessageMemory()
    this.#timer = setInterval(() => {
      const nowMs = performance.now()
      for (const viewer of this.#viewers) viewer.checkAlive(nowMs)
    }, pingIntervalMs).unref()
  }

  /** Number of connected viewers. */
  get size(): number {
    return this.#viewers.size
  }

  /** Number of input messages from view-only viewers that were refused since the server started. */
  get refusals(): number {
    return this.#refusals
  }

  /** Completes the WebSocket handshake and starts the live view. */
  connect(session: ViewableSession, kind: 'view' | 'interact', { request, socket, head }: ViewerUpgrade): void {
    this.#servers[kind].handleUpgrade(request, socket, head, (webSocket) => {
      socket.setNoDelay(true)
      limitMessages(webSocket, socket, this.#messages.open(session.row))
      this.#addViewer(session, webSocket, kind === 'interact').catch((error: unknown) => {
        this.#deps.onError(error, `live view of session ${session.row.id}`)
        webSocket.close(1011, 'The live view could not be opened')
      })
    })
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    for (const server of Object.values(this.#servers)) {
      server.close()
      for (const webSocket of server.clients) webSocket.terminate()
    }
  }

  async #addViewer(session: ViewableSession, webSocket: WebSocket, isInteractive: boolean): Promise<void> {
    let watched: WatchedBrowser | undefined
    const events: ViewerEvents = {
      onShow: (tab) => watched?.show(viewer, tab),
      onViewport: () => watched?.updateAudience(viewer),
      onInteract: (message, bytes) => watched?.handleInput(viewer, message, bytes),
      onInspect: (isOn) => void inspect(isOn),
      onReady: () => watched?.requestFrame(viewer),
      onQuality: () => watched?.updateAudience(viewer),
      onRefused: () => {
        this.#refusals += 1
      },
      onError: (error) => this.#deps.onError(error, `input of a viewer of session ${session.row.id}`),
    }
    const inspect = async (isOn: boolean): Promise<void> => {
      await session.liveView.inspect(viewer, isOn).catch((error: unknown) => {
        if (!session.ended.aborted) this.#deps.onError(error, `inspecting session ${session.row.id}`)
      })
    }
    const viewer = new Viewer(webSocket, isInteractive, events, session.liveView.buffers)
    this.#viewers.add(viewer)
    // Before the first frame, which it would wait for.
    viewer.roundTrip.ping()
    const onEnd = (): void => {
      watched = undefined
      void this.#sendEnd(session, viewer)
    }
    session.ended.addEventListener('abort', onEnd)
    const closed = new Promise<void>((resolve) => webSocket.once('close', () => resolve()))
    webSocket.on('error', (error) => {
      if (!isClientFault(error)) this.#deps.onError(error, `viewer of session ${session.row.id}`)
    })
    void closed.then(() => {
      this.#viewers.delete(viewer)
      session.ended.removeEventListener('abort', onEnd)
    })
    void closed
      .then(async () => session.liveView.leave(viewer))
      .catch((error: unknown) => this.#deps.onError(error, `leaving the live view of session ${session.row.id}`))
    watched = await session.liveView.join(viewer)
  }

  /** Sends how the session ended: the reason at once, the bill as soon as it is written. */
  async #sendEnd(session: ViewableSession, viewer: Viewer): Promise<void> {
    const reason = session.ended.reason as EndReason
    const early: Ended = { reason, durationMs: Math.round(session.ageMs()), creditsBilled: undefined }
    viewer.notify({ type: 'ended', ...early })
    // The session is still ending. In the next turn of the event loop its bill can be awaited.
    await nextTurn()
    try {
      const row = await this.#deps.billedRow(session.row.id, reason)
      viewer.notify({ type: 'ended', ...early, durationMs: row?.durationMs, creditsBilled: row?.creditsBilled })
    } catch (error) {
      this.#deps.onError(error, `bill of session ${session.row.id}`)
    }
    viewer.close(viewEndCode, reason)
  }
}

function acceptMessages(maxPayload: number): WebSocketServer {
  // Frames are compressed already.
  return new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload })
}
