import type { Socket } from 'node:net'
import type { RawData, WebSocket } from 'ws'
import type { EndReason } from 'bowline/contract/browser'
import { isTargetEvent, type CdpCommand, type CdpIncoming } from '../cdp/message.ts'
import type { CdpChannel, CdpRouter } from '../cdp/router.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import { ClientTargets } from './client-targets.ts'
import { closeCodes, type CloseReason } from './close-codes.ts'
import { ClientPages, type PageFocus } from './page-focus.ts'
import { isAnswerableId, judgeCommand, parseCommand, type PolicyContext } from './policy.ts'
import { SessionKinds } from './session-kinds.ts'

/** Bytes that may wait for one client before the browser is told to wait. */
const highWaterBytes = 16 * 1024 * 1024

/** A client that has taken nothing for this long while bytes wait for it is let go, so that it cannot hold up the others. */
const lagLimitMs = 20_000

/** Silence after which a socket counts as half open: three pings unanswered, with room for a client stopped in a debugger. */
const silenceLimitMs = 120_000

const errorCodes = { parse: -32_700, request: -32_600, server: -32_000, session: -32_001 } as const

/** One connected CDP client: commands in through the policy, messages out with back-pressure. */
export class CdpClient {
  readonly #webSocket: WebSocket
  readonly #socket: Socket
  readonly #session: LiveSession
  readonly #channel: CdpChannel
  readonly #onLag: (isLagging: boolean) => void
  readonly #endSession: () => void
  readonly #policy: PolicyContext
  readonly #pages: ClientPages
  readonly #targets: ClientTargets
  readonly #kinds: SessionKinds
  #lag: { bytes: number; sinceMs: number } | undefined
  #lastHeardMs = performance.now()

  constructor(deps: {
    readonly webSocket: WebSocket
    readonly socket: Socket
    readonly session: LiveSession
    readonly channel: CdpChannel
    readonly focus: PageFocus
    /** Called when bytes for this client pile up, and again when they have gone. */
    readonly onLag: (isLagging: boolean) => void
    readonly endSession: () => void
  }) {
    this.#webSocket = deps.webSocket
    this.#socket = deps.socket
    this.#session = deps.session
    this.#channel = deps.channel
    this.#onLag = deps.onLag
    this.#endSession = deps.endSession
    this.#pages = new ClientPages(deps.focus)
    this.#targets = new ClientTargets(deps.channel.browserTargetId)
    const { folder, targets, defaultContextId } = deps.session.browser
    this.#kinds = new SessionKinds(targets, (commands) => commands.forEach((command) => this.#take(command)))
    this.#policy = {
      downloadsDir: folder.seen.downloadsDir,
      uploadsDir: folder.seen.uploadsDir,
      defaultContextId,
      kindOfSession: (sessionId) => this.#kinds.kindOfSession(sessionId),
      kindOfTarget: (targetId) => this.#kinds.kindOfTarget(targetId),
    }
    this.#webSocket.on('message', (data) => this.#receive(data))
    this.#webSocket.on('pong', () => this.#heard())
    this.#socket.on('drain', () => this.#setLag(false))
  }

  /** Passes a message of the browser on. */
  readonly deliver = (message: Buffer): void => {
    if (isTargetEvent(message)) {
      if (!this.#followTargets(message)) return
    } else {
      this.#pages.followDialog(message)
    }
    if (this.#webSocket.readyState !== this.#webSocket.OPEN || this.#pages.withholds(message)) return
    this.#webSocket.send(message, { binary: false })
    if (this.#webSocket.bufferedAmount > highWaterBytes) this.#setLag(true)
  }

  /** Pings the client and lets it go when it is half open or hopelessly slow. Called every few seconds. */
  check(nowMs: number): void {
    if (this.#lag !== undefined) {
      const waiting = this.#webSocket.bufferedAmount
      if (waiting < this.#lag.bytes) this.#lag = { bytes: waiting, sinceMs: nowMs }
      else if (nowMs - this.#lag.sinceMs > lagLimitMs) this.close('lagging')
    }
    if (nowMs - this.#lastHeardMs > silenceLimitMs) this.close('unresponsive')
    else if (this.#webSocket.readyState === this.#webSocket.OPEN) this.#webSocket.ping()
  }

  /** Closes because the session is over, as a browser does. */
  endSession(reason: EndReason): void {
    this.#destroyTargets()
    this.close(reason)
  }

  /** Tells the client why and closes; a client that does not answer the closing handshake is cut off. */
  close(reason: CloseReason): void {
    this.#webSocket.close(closeCodes[reason], reason)
    setTimeout(() => this.#webSocket.terminate(), 2000).unref()
  }

  /** Gives the browser-level session back. */
  async leave(): Promise<void> {
    this.#setLag(false)
    this.#pages.leave()
    this.#kinds[Symbol.dispose]()
    await this.#channel[Symbol.asyncDispose]()
  }

  /** Lets the client send again after the browser's pipe was full. */
  resume(): void {
    if (this.#webSocket.isPaused) this.#webSocket.resume()
  }

  /** Says that all targets are gone: what waits in a library for an event of a page waits for the end of that page, too. */
  #destroyTargets(): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return
    for (const event of this.#targets.destroyAll()) this.#webSocket.send(JSON.stringify(event))
  }

  /** Returns whether the client may be told. */
  #followTargets(message: Buffer): boolean {
    const event = JSON.parse(message.toString()) as CdpIncoming
    if (this.#targets.withholds(event)) return false
    this.#pages.follow(event)
    this.#targets.follow(event)
    this.#kinds.follow(event)
    return true
  }

  #heard(): void {
    this.#lastHeardMs = performance.now()
  }

  #setLag(isLagging: boolean): void {
    if (isLagging === (this.#lag !== undefined)) return
    this.#lag = isLagging ? { bytes: this.#webSocket.bufferedAmount, sinceMs: performance.now() } : undefined
    this.#onLag(isLagging)
  }

  #receive(data: RawData): void {
    this.#heard()
    this.#session.touch()
    // `ws` hands text over as a Buffer unless told otherwise.
    const command = parseCommand((data as Buffer).toString())
    if (command === undefined) {
      this.#answer({
        error: { code: errorCodes.parse, message: 'Message must be a JSON object with an integer id and a method' },
      })
      return
    }
    if (isAnswerableId(command.id)) return this.#take(command)
    const { id, sessionId } = command
    const message = 'Message must have an id from -2147483648 to 1999999999'
    this.#answer({ id, sessionId, error: { code: errorCodes.request, message } })
  }

  #take(command: CdpCommand): void {
    try {
      this.#obey(command)
    } catch (error) {
      // One that is nested too deep can be read but not written. Unheard, that would end the server.
      const { id, sessionId } = command
      const message = Error.isError(error) ? error.message : String(error)
      this.#answer({ id, sessionId, error: { code: errorCodes.server, message } })
    }
  }

  #obey(command: CdpCommand): void {
    const { id, sessionId } = command
    const held = this.#kinds.hold(command)
    if (held === 'held') return
    if (held === 'full') {
      this.#answer({ id, sessionId, error: { code: errorCodes.server, message: 'Too many commands wait for a frame' } })
      return
    }
    const verdict = judgeCommand(command, this.#policy)
    switch (verdict.kind) {
      case 'refuse':
        this.#answer({ id, sessionId, error: { code: errorCodes.server, message: verdict.message } })
        return
      case 'answer':
        this.#answer({ id, sessionId, result: verdict.result })
        return
      case 'browser-close':
        // First, since Puppeteer lets go of the connection with the answer.
        this.#destroyTargets()
        this.#answer({ id, sessionId, result: {} })
        if (this.#session.row.onBrowserClose === 'delete') this.#endSession()
        else this.close('closed')
        return
      case 'pass': {
        this.#pages.note(verdict.command)
        const sent = this.#channel.send(verdict.command)
        if (sent === 'unknown-session') {
          this.#answer({
            id,
            sessionId,
            error: { code: errorCodes.session, message: 'Session with given id not found.' },
          })
        } else if (sent === 'full') {
          this.#webSocket.pause()
        }
        return
      }
    }
    verdict satisfies never
  }

  #answer(message: object): void {
    this.deliver(Buffer.from(JSON.stringify(message)))
  }
}

/** The part of a router that makes the browser wait while any client lags. */
export function lagGate(router: CdpRouter): (client: object, isLagging: boolean) => void {
  const lagging = new Set<object>()
  return (client, isLagging) => {
    if (isLagging) lagging.add(client)
    else lagging.delete(client)
    if (lagging.size > 0) router.pause()
    else router.resume()
  }
}
