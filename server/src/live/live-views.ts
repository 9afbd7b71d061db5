import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { WebSocketServer, type WebSocket } from 'ws'
import type { EndReason } from 'bowline/contract/browser'
import { isClientFault } from '../cdp/socket-fault.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { SessionRow } from '../store/sessions.ts'
import type { Ended } from './server-message.ts'
import { LiveView, type LiveViewDeps } from './live-view.ts'
import { Viewer } from './viewer.ts'

/** What live views need from the rest of the server. */
export interface LiveDeps {
  /** The gateway's knowledge of which page a client drives, and of what may be asked of a page. */
  readonly liveViewDeps: (
    session: LiveSession,
  ) => Pick<LiveViewDeps, 'activePage' | 'openedPages' | 'onActivePage' | 'openDialog' | 'refuse'>
  /** The session's row once it is billed. */
  readonly billOf: (session: LiveSession, reason: EndReason) => Promise<SessionRow | undefined>
  readonly onError: (error: unknown, what: string) => void
}

/** A WebSocket upgrade that was let in. */
export interface ViewerUpgrade {
  readonly request: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
}

/** Largest message a viewer may send, in bytes: a long text in the clipboard. */
const maxPayloadBytes = 4 * 1024 * 1024

const checkMs = 15_000

/** WebSocket close code for a session that has ended. */
const endedCode = 4000

interface StageEntry {
  readonly stage: Promise<LiveView>
  viewers: number
}

/** Connects viewers to sessions. Authorisation happens before. A session without viewers has nothing here. */
export class LiveViews implements Disposable {
  readonly #deps: LiveDeps
  // Pictures are compressed already.
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: maxPayloadBytes })
  readonly #stages = new Map<string, StageEntry>()
  readonly #viewers = new Set<Viewer>()
  readonly #timer: NodeJS.Timeout
  #refusals = 0

  constructor(deps: LiveDeps) {
    this.#deps = deps
    this.#timer = setInterval(() => {
      const nowMs = performance.now()
      for (const viewer of this.#viewers) viewer.check(nowMs)
    }, checkMs).unref()
  }

  /** Connected viewers. */
  get size(): number {
    return this.#viewers.size
  }

  /** Messages of watching viewers that were refused since the start. */
  get refusals(): number {
    return this.#refusals
  }

  /** Completes the handshake and shows the session. */
  connect(session: LiveSession, kind: 'view' | 'interact', { request, socket, head }: ViewerUpgrade): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      socket.setNoDelay(true)
      this.#welcome(session, webSocket, kind === 'interact').catch((error: unknown) => {
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

  async #welcome(session: LiveSession, webSocket: WebSocket, isInteractive: boolean): Promise<void> {
    let stage: LiveView | undefined
    const viewer = new Viewer(webSocket, isInteractive, {
      onShow: (tab) => stage?.show(viewer, tab),
      onLooks: () => stage?.adjust(viewer),
      onActing: (message) => stage?.act(viewer, message),
      onReady: () => stage?.proceed(viewer),
      onQuality: () => stage?.adjust(viewer),
      onRefused: () => {
        this.#refusals += 1
      },
    })
    this.#viewers.add(viewer)
    const onEnd = (): void => void this.#sayGoodbye(session, viewer)
    session.ended.addEventListener('abort', onEnd)
    const closed = new Promise<void>((resolve) => webSocket.once('close', () => resolve()))
    webSocket.on('error', (error) => {
      if (!isClientFault(error)) this.#deps.onError(error, `viewer of session ${session.row.id}`)
    })
    void closed.then(() => {
      this.#viewers.delete(viewer)
      session.ended.removeEventListener('abort', onEnd)
    })
    const entry = this.#hold(session)
    void closed
      .then(async () => this.#release(session, entry, viewer))
      .catch((error: unknown) => this.#deps.onError(error, `leaving the live view of session ${session.row.id}`))
    stage = await entry.stage
    if (webSocket.readyState === webSocket.OPEN && !session.ended.aborted) stage.join(viewer)
  }

  #hold(session: LiveSession): StageEntry {
    const { id } = session.row
    const onError = (error: unknown): void => {
      if (!session.ended.aborted) this.#deps.onError(error, `live view of session ${id}`)
    }
    const open = async (): Promise<LiveView> => LiveView.open({ session, ...this.#deps.liveViewDeps(session), onError })
    const entry = this.#stages.get(id) ?? { stage: open(), viewers: 0 }
    entry.viewers += 1
    this.#stages.set(id, entry)
    return entry
  }

  /** Lets the stage go with its last viewer. */
  async #release(session: LiveSession, entry: StageEntry, viewer: Viewer): Promise<void> {
    entry.viewers -= 1
    if (entry.viewers === 0) this.#stages.delete(session.row.id)
    // A stage that could not be opened was reported to its viewers.
    const stage = await entry.stage.catch(() => undefined)
    stage?.leave(viewer)
    if (entry.viewers === 0) await stage?.[Symbol.asyncDispose]()
  }

  /** Says how the session ended: at once what is known, and the bill when it is written. */
  async #sayGoodbye(session: LiveSession, viewer: Viewer): Promise<void> {
    const reason = session.ended.reason as EndReason
    const early: Ended = { reason, durationMs: Math.round(session.ageMs()), creditsBilled: undefined }
    viewer.notify({ type: 'ended', ...early })
    // The session is still in the middle of ending; by the next turn it can be asked for its bill.
    await nextTurn()
    try {
      const row = await this.#deps.billOf(session, reason)
      viewer.notify({ type: 'ended', ...early, durationMs: row?.durationMs, creditsBilled: row?.creditsBilled })
    } catch (error) {
      this.#deps.onError(error, `bill of session ${session.row.id}`)
    }
    viewer.close(endedCode, reason)
  }
}
