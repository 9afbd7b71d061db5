import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { WebSocketServer, type WebSocket } from 'ws'
import type { EndReason } from 'bowline/contract/browser'
import { isClientFault } from '../cdp/socket-fault.ts'
import { viewEndCode } from '../sessions/close-codes.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { Ended } from './server-message.ts'
import { LiveView, type ViewedSession } from './live-view.ts'
import type { Refuse } from './navigate-tab.ts'
import { Viewer } from './viewer.ts'

/** Dependencies of the live views. */
export interface LiveViewsDeps {
  /** Returns why the command policy refuses a command in a session; see `LiveViewDeps`. */
  readonly refuse: (session: ViewedSession, ...command: Parameters<Refuse>) => ReturnType<Refuse>
  /** Resolves to the session's row once the session is billed. */
  readonly billedRow: (session: ViewedSession, reason: EndReason) => Promise<SessionRow | undefined>
  readonly onError: (error: unknown, action: string) => void
}

/** An authorized WebSocket upgrade. */
export interface ViewerUpgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
}

/** Largest message that a viewer may send, in bytes. Allows for long pasted text. */
const maxPayloadBytes = 4 * 1024 * 1024

const pingIntervalMs = 15_000

interface OpenView {
  readonly view: Promise<LiveView>
  viewers: number
}

/**
 * Connects authorized viewers to sessions. A session without viewers takes up no resources here.
 */
export class LiveViews implements Disposable {
  readonly #deps: LiveViewsDeps
  // Frames are compressed already.
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: maxPayloadBytes })
  readonly #views = new Map<string, OpenView>()
  readonly #viewers = new Set<Viewer>()
  readonly #timer: NodeJS.Timeout
  #refusals = 0

  constructor(deps: LiveViewsDeps) {
    this.#deps = deps
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
  connect(session: ViewedSession, kind: 'view' | 'interact', { request, socket, head }: ViewerUpgrade): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      socket.setNoDelay(true)
      this.#addViewer(session, webSocket, kind === 'interact').catch((error: unknown) => {
        this.#deps.onError(error, `live view of session ${session.row.id}`)
        webSocket.close(1011, 'The live view could not be opened')
      })
    })
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#server.close()
    for (const webSocket of this.#server.clients) webSocket.terminate()
  }

  async #addViewer(session: ViewedSession, webSocket: WebSocket, isInteractive: boolean): Promise<void> {
    let view: LiveView | undefined
    const viewer = new Viewer(webSocket, isInteractive, {
      onShow: (tab) => view?.show(viewer, tab),
      onViewport: () => view?.updateAudience(viewer),
      onInteract: (message) => view?.handleInput(viewer, message),
      onReady: () => view?.requestFrame(viewer),
      onQuality: () => view?.updateAudience(viewer),
      onRefused: () => {
        this.#refusals += 1
      },
    })
    this.#viewers.add(viewer)
    const onEnd = (): void => void this.#sendEnd(session, viewer)
    session.ended.addEventListener('abort', onEnd)
    const closed = new Promise<void>((resolve) => webSocket.once('close', () => resolve()))
    webSocket.on('error', (error) => {
      if (!isClientFault(error)) this.#deps.onError(error, `viewer of session ${session.row.id}`)
    })
    void closed.then(() => {
      this.#viewers.delete(viewer)
      session.ended.removeEventListener('abort', onEnd)
    })
    const entry = this.#acquireView(session)
    void closed
      .then(async () => this.#releaseView(session, entry, viewer))
      .catch((error: unknown) => this.#deps.onError(error, `leaving the live view of session ${session.row.id}`))
    view = await entry.view
    if (webSocket.readyState === webSocket.OPEN && !session.ended.aborted) view.join(viewer)
  }

  #acquireView(session: ViewedSession): OpenView {
    const { id } = session.row
    const onError = (error: unknown): void => {
      if (!session.ended.aborted) this.#deps.onError(error, `live view of session ${id}`)
    }
    const refuse: Refuse = (command) => this.#deps.refuse(session, command)
    const open = async (): Promise<LiveView> => LiveView.open({ session, refuse, onError })
    const entry = this.#views.get(id) ?? { view: open(), viewers: 0 }
    entry.viewers += 1
    this.#views.set(id, entry)
    return entry
  }

  /** Removes a viewer and closes the view after its last one. */
  async #releaseView(session: ViewedSession, entry: OpenView, viewer: Viewer): Promise<void> {
    entry.viewers -= 1
    if (entry.viewers === 0) this.#views.delete(session.row.id)
    // If the view could not be opened, its viewers were notified already.
    const view = await entry.view.catch(() => undefined)
    view?.leave(viewer)
    if (entry.viewers === 0) await view?.[Symbol.asyncDispose]()
  }

  /** Sends how the session ended: the reason at once, the bill as soon as it is written. */
  async #sendEnd(session: ViewedSession, viewer: Viewer): Promise<void> {
    const reason = session.ended.reason as EndReason
    const early: Ended = { reason, durationMs: Math.round(session.ageMs()), creditsBilled: undefined }
    viewer.notify({ type: 'ended', ...early })
    // The session is still ending. In the next turn of the event loop its bill can be awaited.
    await nextTurn()
    try {
      const row = await this.#deps.billedRow(session, reason)
      viewer.notify({ type: 'ended', ...early, durationMs: row?.durationMs, creditsBilled: row?.creditsBilled })
    } catch (error) {
      this.#deps.onError(error, `bill of session ${session.row.id}`)
    }
    viewer.close(viewEndCode, reason)
  }
}
