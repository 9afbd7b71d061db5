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
  /** Of the last session, until it has ended: answers of its tools may still be on their way. */
  #secrets: TypedSecrets | undefined
  #notices: string[] = []
  #turn: Promise<unknown> = Promise.resolve()
  #isDisposed = false

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

  /** Disconnects without ending the session. The browser cannot be used afterwards. */
  async disconnect(): Promise<void> {
    this.#isDisposed = true
    await this.#open?.browser.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
    await this.#endOpen()
  }

  async #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async #ensureOpen(): Promise<OpenSession> {
    if (this.#isDisposed) throw new BowlineError('SESSION_ENDED', 'The MCP session has ended')
    if (this.#open !== undefined && (await this.#open.isResponding())) return this.#open
    const chromium = await loadChromium()
    const lost = this.#open
    this.#open = undefined
    if (lost !== undefined) {
      void lost.browser.close().catch(() => undefined)
      this.#open = await this.#reconnect(lost, chromium)
      if (this.#open !== undefined) return this.#open
      this.#notices.push(await this.#describeEnd(lost.session))
    }
    const session = await this.#deps.bowline.sessions.create(this.#deps.session)
    try {
      this.#open = await this.#connect(session, chromium)
    } catch (error) {
      await session.end().catch(() => undefined)
      throw error
    }
    this.#notices.push(...describeSession(this.#open))
    return this.#open
  }

  /** Returns undefined if the session has ended. */
  async #reconnect({ session, secrets }: OpenSession, chromium: Chromium): Promise<OpenSession | undefined> {
    if (!(await this.#isAlive(session))) return undefined
    try {
      const open = await this.#connect(session, chromium, secrets.isUsed)
      this.#notices.push('The connection to the browser was lost and made again. Refs shown before are invalid.')
      return open
    } catch (error) {
      // It may have ended meanwhile.
      if (await this.#isAlive(session)) throw error
      return undefined
    }
  }

  async #connect(session: Session, chromium: Chromium, hasTypedSecrets = false): Promise<OpenSession> {
    const { toConnectUrl = same, toViewUrl = same } = this.#deps
    const connected = await connectTabs(toConnectUrl(session.cdpUrl), chromium, hasTypedSecrets)
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

function describeSession({ session, liveViewUrl, interactiveLiveViewUrl }: OpenSession): readonly string[] {
  const until = session.expiresAt === undefined ? '' : `, until ${session.expiresAt.toISOString()}`
  return [
    `Opened browser session ${session.id}${until}.`,
    ...(liveViewUrl === '' ? [] : [`Live view: ${liveViewUrl}`]),
    ...(interactiveLiveViewUrl === '' ? [] : [`Live view with mouse and keyboard: ${interactiveLiveViewUrl}`]),
  ]
}
