import type { Bowline } from '../../client/bowline.ts'
import type { Session, SessionBill } from '../../client/session.ts'
import type { CreateSessionOptions } from '../../contract/session-options.ts'
import { countOf } from '../../kit/count-of.ts'
import { BowlineError, isBowlineError } from '../../kit/errors.ts'
import { loadChromium, type Chromium } from '../load-packages.ts'
import { connectTabs, type ConnectedTabs, type DrivenBrowser, type OpenBrowser } from './driven-browser.ts'
import { HumanHelp } from './human-help.ts'
import type { TypedSecrets } from './typed-secrets.ts'

/** Where the sessions of an agent come from. */
export interface AgentBrowserDeps {
  readonly bowline: Bowline
  readonly session: CreateSessionOptions
  /** Returns the URL to connect to for the CDP URL of a session. Default: the same. */
  readonly toConnectUrl?: ((cdpUrl: string) => string) | undefined
  /** Returns the URL to show for a URL of the live view. Default: the same. */
  readonly toViewUrl?: ((viewUrl: string) => string) | undefined
}

interface OpenSession extends OpenBrowser, ConnectedTabs {
  readonly session: Session
  readonly liveViewUrl: string
}

/**
 * The browser session of an agent. It is created at the first use. If it has ended, because its
 * lifetime or idle time is over, the next use creates another one. A lost connection to a session
 * that is still alive is made again.
 */
export class AgentBrowser implements DrivenBrowser, AsyncDisposable {
  readonly #deps: AgentBrowserDeps
  #open: OpenSession | undefined
  /** Of the last session, until it has ended: results of its tools may still be on their way. */
  #secrets: TypedSecrets | undefined
  #notices: string[] = []
  #turn: Promise<unknown> = Promise.resolve()
  #opening: Promise<unknown> = Promise.resolve()
  readonly #disposed = new AbortController()

  constructor(deps: AgentBrowserDeps) {
    this.#deps = deps
  }

  async use<Result>(work: (browser: OpenBrowser) => Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => work(await this.#ensureOpen()))
  }

  /** Returns notices to show the agent once, such as the URL of the live view. */
  takeNotices(): readonly string[] {
    return this.#notices.splice(0)
  }

  /** Masks the secrets that were typed in the session in texts. Rejects if it cannot. */
  async mask(texts: readonly string[]): Promise<readonly string[]> {
    return this.#secrets === undefined ? texts : this.#secrets.mask(texts)
  }

  async end(): Promise<SessionBill | undefined> {
    return this.#inTurn(async () => this.#endOpen())
  }

  /**
   * Disconnects without ending the session, except one that is still being opened. The browser
   * cannot be used afterwards.
   */
  async disconnect(): Promise<void> {
    this.#disposed.abort(sessionEnded())
    await this.#open?.browser.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed.abort(sessionEnded())
    await this.#endOpen()
    await this.#opening.catch(() => undefined)
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async #ensureOpen(): Promise<OpenSession> {
    this.#disposed.signal.throwIfAborted()
    if (this.#open !== undefined && (await this.#open.isResponding())) return this.#open
    const opening = this.#reopen()
    this.#opening = opening
    return opening
  }

  async #reopen(): Promise<OpenSession> {
    const chromium = await loadChromium()
    const open = (await this.#reconnect(chromium)) ?? (await this.#create(chromium))
    this.#open = open
    // If the owner has ended meanwhile, it did not find this session or connection.
    if (this.#disposed.signal.aborted) await this.#endOpen()
    this.#disposed.signal.throwIfAborted()
    return open
  }

  async #create(chromium: Chromium): Promise<OpenSession> {
    const { signal } = this.#disposed
    const session = await this.#deps.bowline.sessions.create(this.#deps.session, { signal })
    try {
      const open = await this.#connect(session, chromium)
      this.#notices.push(...describeSession(open))
      return open
    } catch (error) {
      await session.end().catch(() => undefined)
      throw error
    }
  }

  /** Connects to the session again. Returns undefined if there is none, or if it has ended. */
  async #reconnect(chromium: Chromium): Promise<OpenSession | undefined> {
    const lost = this.#open
    if (lost === undefined) return undefined
    const { session, secrets } = lost
    void lost.browser.close().catch(() => undefined)
    try {
      if (await this.#isAlive(session)) {
        const open = await this.#connect(session, chromium, secrets.isUsed)
        this.#notices.push('The connection to the browser was lost and made again. Refs shown before are invalid.')
        return open
      }
    } catch (error) {
      // It may have ended meanwhile. If not, the next use tries again.
      if (await this.#isAlive(session)) throw error
    }
    this.#open = undefined
    this.#notices.push(await this.#describeEnd(session))
    return undefined
  }

  async #connect(session: Session, chromium: Chromium, hasTypedSecrets = false): Promise<OpenSession> {
    const { toConnectUrl = same, toViewUrl = same } = this.#deps
    const { signal } = this.#disposed
    const connected = await connectTabs(toConnectUrl(session.cdpUrl), chromium, { hasTypedSecrets, signal })
    this.#secrets = connected.secrets
    return {
      ...connected,
      session,
      human: new HumanHelp(session),
      liveViewUrl: toViewUrl(session.liveViewUrl),
      interactiveLiveViewUrl: toViewUrl(session.interactiveLiveViewUrl),
    }
  }

  async #isAlive({ id }: Session): Promise<boolean> {
    try {
      return (await this.#deps.bowline.sessions.get(id)).status === 'active'
    } catch (error) {
      if (isBowlineError(error) && (error.status === 404 || error.status === 403)) return false
      throw error
    }
  }

  async #describeEnd(session: Session): Promise<string> {
    const { endReason } = await this.#deps.bowline.sessions.get(session.id).catch(() => ({ endReason: undefined }))
    const bill = await session.end().catch(() => undefined)
    const reason = endReason === undefined ? 'has ended' : `has ended (${reasons[endReason] ?? endReason})`
    return `The previous browser session ${reason}${describeCost(bill)}. A new one was opened: pages, tabs, refs and logins of the previous one are gone.`
  }

  async #endOpen(): Promise<SessionBill | undefined> {
    const open = this.#open
    this.#open = undefined
    if (open === undefined) return undefined
    await open.browser.close().catch(() => undefined)
    try {
      return await open.session.end()
    } finally {
      this.#secrets = undefined
    }
  }
}

/** Describes the duration and the cost of a session, with a leading space. */
export function describeCost(bill: SessionBill | undefined): string {
  const { sessionDurationMs, creditsBilled } = bill ?? {}
  const duration = sessionDurationMs === undefined ? '' : ` after ${Math.round(sessionDurationMs / 1000)} s`
  const credits = creditsBilled === undefined ? '' : `, ${countOf(creditsBilled, 'credit')}`
  return `${duration}${credits}`
}

const reasons: Readonly<Record<string, string>> = {
  ttl: 'its lifetime was over',
  idle: 'it was idle for too long',
  deleted: 'it was deleted',
  crashed: 'the browser crashed',
}

function same(url: string): string {
  return url
}

function sessionEnded(): BowlineError {
  return new BowlineError('SESSION_ENDED', 'The MCP session has ended')
}

function describeSession({ session, liveViewUrl, interactiveLiveViewUrl }: OpenSession): readonly string[] {
  const until = session.expiresAt === undefined ? '' : `, until ${session.expiresAt.toISOString()}`
  return [
    `Opened browser session ${session.id}${until}.`,
    ...(liveViewUrl === '' ? [] : [`Live view: ${liveViewUrl}`]),
    ...(interactiveLiveViewUrl === '' ? [] : [`Live view with mouse and keyboard: ${interactiveLiveViewUrl}`]),
  ]
}
