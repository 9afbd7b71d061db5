import type { EndReason } from 'bowline/contract/browser'
import { messageOf } from 'bowline/kit/message-of'
import { isEvent, isTargetEvent, type CdpCommand } from '../cdp/message.ts'
import { maxCommandBytes } from '../cdp/message-limits.ts'
import { describeFault, isValidId, parseCommand } from '../cdp/parse-command.ts'
import type { ClientTarget } from '../cdp/browser-emulation.ts'
import type { CdpEvent } from '../cdp/protocol.ts'
import type { CdpChannel } from '../cdp/channel.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import { ClientLag } from './client-lag.ts'
import { ClientHandoffs } from './client-handoffs.ts'
import { ClientSecrets } from './client-secrets.ts'
import { ClientTargets } from './client-targets.ts'
import type { CloseReason } from 'bowline/contract/close-codes'
import type { ClientConnection } from './client-connection.ts'
import { setClientLocale } from './client-locale.ts'
import { ClientPages } from './client-pages.ts'
import type { DiscoveredTarget } from '../sessions/discover-targets.ts'
import { withoutRefusedUrls } from './dragged-urls.ts'
import { openContextProxy } from './context-proxy.ts'
import { judgeCommand, type PolicyContext } from './policy.ts'
import { CdpSessionKinds } from './cdp-session-kinds.ts'
import { heldLimits, HeldCommands, type HeldMemory } from './held-commands.ts'

/**
 * Time without a message after which a socket counts as half open: three missed pings, and some
 * extra for a client that is paused in a debugger.
 */
const silenceTimeoutMs = 120_000

const maxErrorLength = 1000

const errorCodes = { parse: -32_700, request: -32_600, server: -32_000, session: -32_001 } as const

/**
 * One connected CDP client. Checks its commands against the policy and sends it messages with
 * back-pressure.
 */
export class CdpClient {
  readonly #connection: ClientConnection
  readonly #session: LiveSession
  readonly #channel: CdpChannel
  readonly #lag: ClientLag
  readonly #maxBufferedBytes: () => number
  readonly #heldMemory: HeldMemory
  readonly #endSession: () => void
  readonly #policy: PolicyContext
  readonly #pages: ClientPages
  readonly #targets: ClientTargets
  readonly #kinds: CdpSessionKinds
  readonly #handoffs: ClientHandoffs
  readonly #secrets: ClientSecrets
  #lastMessageMs = performance.now()
  /** Whether nothing is read from the client until it has read the responses of the server. */
  #hasUnreadResponses = false
  /** Whether the pipe of the browser was full after the last command. */
  #isPipeFull = false

  constructor(deps: {
    readonly connection: ClientConnection
    readonly session: LiveSession
    readonly channel: CdpChannel
    /** Whether others wait for the browser of the session. */
    readonly isHoldingUpOthers: () => boolean
    readonly endSession: () => void
    /** Bytes buffered for the client above which reading from the browser is paused. */
    readonly maxBufferedBytes: () => number
    /** Memory for commands that wait, of all clients of the session. */
    readonly heldMemory: HeldMemory
    /** Target that the client is connected to. Default: the browser. */
    readonly target: DiscoveredTarget | undefined
    /** URL under which the client reached the server. */
    readonly baseUrl: string
  }) {
    this.#connection = deps.connection
    this.#session = deps.session
    this.#channel = deps.channel
    this.#lag = new ClientLag({
      bufferedBytes: () => deps.connection.bufferedBytes,
      isHoldingUpOthers: deps.isHoldingUpOthers,
      onChange: (isLagging) => this.#setLag(isLagging),
      onTooSlow: () => this.close('lagging'),
    })
    this.#maxBufferedBytes = deps.maxBufferedBytes
    this.#heldMemory = deps.heldMemory
    this.#endSession = deps.endSession
    const { target } = deps
    const { rootSessionId: cdpSessionId } = deps.channel
    const rootPage = target?.type === 'page' ? { page: target.id, cdpSessionId } : undefined
    this.#pages = new ClientPages(deps.session.focus, rootPage)
    this.#targets = new ClientTargets(deps.channel.targetId)
    const { binary, folder, targetKinds, extensionIds, defaultContextId } = deps.session.browser
    const held = new HeldCommands(deps.heldMemory)
    const release = (commands: readonly CdpCommand[]): void => commands.forEach((command) => this.#handle(command, 0))
    this.#kinds = new CdpSessionKinds(targetKinds, release, held)
    this.#handoffs = new ClientHandoffs({
      session: deps.session,
      baseUrl: deps.baseUrl,
      held,
      pages: this.#pages,
      targets: this.#targets,
      send: (message) => this.#respond(message),
      release,
    })
    this.#secrets = new ClientSecrets({
      session: deps.session,
      pages: this.#pages,
      send: (message) => this.#respond(message),
    })
    this.#policy = {
      downloadsDir: folder.visiblePaths.downloadsDir,
      uploadsDir: folder.visiblePaths.uploadsDir,
      extensionIds,
      defaultContextId,
      opensDroppedFiles: binary.kind === 'shell',
      kindOfSession: (id) => {
        if (id !== undefined) return this.#kinds.kindOfSession(id)
        return target === undefined ? 'browser' : this.#kinds.kindOfTarget(target.id)
      },
      kindOfTarget: (targetId) => this.#kinds.kindOfTarget(targetId),
    }
  }

  /** Sends a message of the browser to the client. */
  readonly deliver = (message: Buffer): void => {
    if (!isEvent(message)) return this.#send(message)
    const event = isTargetEvent(message) ? (JSON.parse(message.toString()) as CdpEvent) : undefined
    if (event === undefined) this.#pages.trackDialog(message)
    else if (!this.#trackTargets(event)) return
    if (!this.#pages.shouldHide(message)) this.#send(withoutRefusedUrls(message))
    // Commands held for a session that is gone get their error responses after its last event, when
    // drivers no longer expect any.
    if (event !== undefined) this.#kinds.track(event)
  }

  get session(): LiveSession {
    return this.#session
  }

  /** Pings the client. Closes the connection if it is half open. Called every 20 s. */
  pingOrClose(nowMs: number): void {
    if (this.#connection.isLost || this.#hasUnreadResponses) return
    if (nowMs - this.#lastMessageMs > silenceTimeoutMs) this.close('unresponsive')
    else this.#connection.ping()
  }

  /**
   * Closes the connection because the session has ended, with the events of a browser that closes.
   */
  endSession(reason: EndReason): void {
    this.#announceTargetsGone()
    this.close(reason)
  }

  /** Closes the connection because its target is gone, as Chromium does. */
  endTarget(): void {
    this.#respond({ method: 'Inspector.detached', params: { reason: 'target_closed' } })
    this.close('closed')
  }

  /** Closes the connection with the reason. Other clients no longer wait for this one. */
  close(reason: CloseReason): void {
    this.#lag.stop()
    this.#connection.close(reason)
  }

  /** Detaches from the browser-level session. */
  async leave(): Promise<void> {
    this.#lag.stop()
    this.#pages.leave()
    this.#kinds[Symbol.dispose]()
    this.#handoffs[Symbol.dispose]()
    await this.#channel[Symbol.asyncDispose]()
    this.#session.browser.emulation?.release(this)
  }

  /** Resumes reading from the client after the browser's pipe was full. */
  resume(): void {
    this.#isPipeFull = false
    if (!this.#hasUnreadResponses) this.#connection.resumeReading()
  }

  /** Processes a message of the client. */
  receive(data: Buffer): void {
    this.markAlive()
    this.#session.touch()
    const text = data.toString()
    const command = parseCommand(text)
    if (command === undefined) {
      const { message, kind, ...ids } = describeFault(text)
      this.#respond({ ...ids, error: { code: errorCodes[kind], message } })
      return
    }
    if (isValidId(command.id)) return this.#handle(command, data.length)
    const { id, sessionId: cdpSessionId } = command
    const message = 'Message must have an id from -2147483648 to 1999999999'
    this.#respond({ id, sessionId: cdpSessionId, error: { code: errorCodes.request, message } })
  }

  /** Records that the client responded. */
  markAlive(): void {
    this.#lastMessageMs = performance.now()
  }

  /** Ends the connection without a close frame. */
  terminate(): void {
    this.#connection.terminate()
  }

  /** Reads from the browser again after the client has read everything. */
  stopLagging(): void {
    this.#lag.stop()
  }

  #send(message: Buffer): void {
    if (!this.#connection.isOpen) return
    this.#connection.send(message)
    if (this.#connection.bufferedBytes > this.#maxBufferedBytes()) this.#lag.start()
  }

  /**
   * Announces that all targets are gone, so that libraries waiting for a page's event stop waiting.
   */
  #announceTargetsGone(): void {
    for (const event of this.#targets.destroyAll()) this.#connection.send(Buffer.from(JSON.stringify(event)))
  }

  /** Processes an event of the Target domain. Returns whether to send it to the client. */
  #trackTargets(event: CdpEvent): boolean {
    if (this.#targets.shouldHide(event)) return false
    this.#pages.track(event)
    this.#targets.track(event)
    if (event.method === 'Target.detachedFromTarget')
      this.#session.browser.emulation?.release(this, event.params.sessionId)
    return true
  }

  /** Handles a command. `bytes`: size of its message, 0 if it was held before. */
  #handle(command: CdpCommand, bytes: number): void {
    try {
      this.#execute(command, bytes)
    } catch (error) {
      // A command that is nested too deeply can be parsed but not serialized. Uncaught, that error
      // would crash the server.
      const { id, sessionId: cdpSessionId } = command
      const message = messageOf(error)
      this.#respond({ id, sessionId: cdpSessionId, error: { code: errorCodes.server, message } })
    }
  }

  /**
   * Judges and sends a command. If the kind of its target is not known yet, `CdpSessionKinds` holds
   * it, and passes it to `#handle` again once the kind is known.
   */
  #execute(command: CdpCommand, bytes: number): void {
    const { id, sessionId: cdpSessionId } = command
    const held = this.#kinds.hold(command, bytes)
    if (held === 'held') return
    if (held === 'full')
      return this.#refuse(command, `${heldLimits} are waiting for the URL of a frame to become known`)
    if (this.#session.handoffs.isAnyOpen) {
      const leased = this.#handoffs.holdInput(command, bytes)
      if (leased === 'held') return
      if (leased !== undefined) return this.#refuse(command, leased.refusal)
    }
    const verdict = judgeCommand(command, this.#policy)
    switch (verdict.kind) {
      case 'refuse':
        this.#refuse(command, verdict.message)
        return
      case 'respond':
        this.#respond({ id, sessionId: cdpSessionId, result: verdict.result })
        return
      case 'browser-close':
        // Before the response, since Puppeteer drops the connection when it receives it.
        this.#announceTargetsGone()
        this.#respond({ id, sessionId: cdpSessionId, result: {} })
        if (this.#session.row.onBrowserClose === 'delete') this.#endSession()
        else this.close('closed')
        return
      case 'handoff':
        return this.#run(command, bytes, async () => this.#handoffs.execute(command))
      case 'secret':
        return this.#run(command, bytes, async () => this.#secrets.execute(command))
      case 'context-proxy':
        return this.#run(command, bytes, async () =>
          openContextProxy(this.#session.browser, verdict.command, verdict.proxy)
            .then((opened) => (typeof opened === 'string' ? this.#refuse(command, opened) : this.#pass(opened)))
            // A command that is nested too deeply cannot be serialized.
            .catch((error: unknown) => this.#refuse(command, messageOf(error))),
        )
      case 'pass':
        if (this.#session.browser.emulation?.replacesLocale(command) === true) return this.#setLocale(command, bytes)
        this.#pass(verdict.command)
        return
    }
    verdict satisfies never
  }

  /** Executes a command in the server. The browser or a name server may not respond for long. */
  #run(command: CdpCommand, bytes: number, execute: () => Promise<void>): void {
    if (!this.#heldMemory.tryRun(bytes, execute)) this.#refuse(command, `${heldLimits} are waiting`)
  }

  /** Reconciles the emulation of the client with that of the session. */
  #adapt(command: CdpCommand): CdpCommand {
    const origin = this.#originOf(command)
    return (origin && this.#session.browser.emulation?.adapt(command, origin)) ?? command
  }

  #originOf({ sessionId: cdpSessionId }: CdpCommand): ClientTarget | undefined {
    const targetId = cdpSessionId === undefined ? this.#channel.targetId : this.#kinds.targetOf(cdpSessionId)
    return targetId === undefined ? undefined : { client: this, targetId, cdpSessionId }
  }

  #setLocale(command: CdpCommand, bytes: number): void {
    const { router, emulation } = this.#session.browser
    const { id, sessionId: cdpSessionId } = command
    const origin = this.#originOf(command)
    if (emulation === undefined || origin === undefined) return this.#pass(command)
    this.#run(command, bytes, async () =>
      setClientLocale(command, {
        emulation,
        router,
        origin,
        cdpSessionId: cdpSessionId ?? this.#channel.rootSessionId,
        respond: (error) =>
          error === undefined
            ? this.#respond({ id, sessionId: cdpSessionId, result: {} })
            : this.#refuse(command, error),
      }),
    )
  }

  #pass(command: CdpCommand): void {
    const { id, sessionId: cdpSessionId } = command
    this.#pages.trackCommand(command)
    const sent = this.#channel.send(this.#adapt(command))
    if (sent === 'full') {
      this.#isPipeFull = true
      this.#connection.pauseReading()
    }
    if (sent === 'too-large') {
      return this.#refuse(
        command,
        `The browser reads commands of at most ${maxCommandBytes / 2 ** 20} MiB: send less at once`,
      )
    }
    if (sent !== 'unknown-session') return
    const error = { code: errorCodes.session, message: 'Session with given id not found.' }
    this.#respond({ id, sessionId: cdpSessionId, error })
  }

  /** The message may contain a value of the client, which is cut: responses are buffered. */
  #refuse({ id, sessionId: cdpSessionId }: CdpCommand, text: string): void {
    const message = text.length > maxErrorLength ? `${text.slice(0, maxErrorLength)}…` : text
    this.#respond({ id, sessionId: cdpSessionId, error: { code: errorCodes.server, message } })
  }

  /**
   * Sends a message of the server. If the client has not read what was sent before, it can send no
   * further commands: pausing the browser does not limit such responses.
   */
  #respond(message: object): void {
    this.deliver(Buffer.from(JSON.stringify(message)))
    if (!this.#lag.isActive) return
    this.#hasUnreadResponses = true
    this.#connection.pauseReading()
  }

  /** Pauses the browser while the client lags. Then reads from the client again. */
  #setLag(isLagging: boolean): void {
    this.#session.readPauser.setLag(this, isLagging)
    if (isLagging || !this.#hasUnreadResponses) return
    this.#hasUnreadResponses = false
    // Its pongs were not read either.
    this.markAlive()
    if (!this.#isPipeFull) this.#connection.resumeReading()
  }
}
