import { createSessionRequest } from 'bowline/contract/session-options'
import { BowlineError } from 'bowline/kit/errors'
import { priceOfSession, type Prices } from '../billing/prices.ts'
import { guardNavigations } from '../cdp/guard-navigations.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { AgentScope } from './agent-tools.ts'
import type { LoopTool } from './tool-loop.ts'
import { agentSessionKey, maxAgentSessions } from './agent-sessions.ts'
import { BudgetExceeded, type BudgetShare } from './budget.ts'
import { openBrowserTools, type BrowserTools, type BrowserToolsDeps } from './browser-tools.ts'
import type { EventFields } from './trace.ts'

/** Dependencies of `AgentBrowser`. */
export interface AgentBrowserDeps extends BrowserToolsDeps {
  readonly sessions: Pick<Sessions, 'create' | 'end' | 'find'>
  readonly prices: Prices
  readonly maxTtlSeconds: number
}

interface OpenSession extends AsyncDisposable {
  readonly session: LiveSession
  readonly share: BudgetShare
  readonly browser: BrowserTools
}

const ttlSeconds = 600
const minTtlSeconds = 30

/** Time limit of a call of a browser tool. */
const timeoutMs = 60_000

/**
 * The browser session of an agent. The first call of a browser tool creates it, with a lifetime
 * that the budget covers.
 */
export class AgentBrowser {
  readonly #deps: AgentBrowserDeps
  readonly #scope: AgentScope
  readonly #record: (event: EventFields) => Promise<void>
  #opening: Promise<OpenSession> | undefined
  #count: number

  /** `count` is the number of sessions that the agent has had. */
  constructor(
    deps: AgentBrowserDeps,
    scope: AgentScope,
    { count, record }: { readonly count: number; readonly record: (event: EventFields) => Promise<void> },
  ) {
    this.#deps = deps
    this.#scope = scope
    this.#count = count
    this.#record = record
  }

  /** Returns the browser tools. */
  async tools(): Promise<readonly LoopTool[]> {
    const descriptions = await this.#deps.mcpHost.describeTools(this.#scope.job.teamId)
    return descriptions.map(({ name, description, parameters }) => ({
      name,
      description,
      parameters,
      run: async (input, signal) => {
        const { browser } = await this.#open()
        const tool = browser.tools.find((each) => each.name === name)
        if (tool === undefined) throw new BowlineError('BAD_REQUEST', `There is no tool ${name}`)
        return tool.run(input, signal)
      },
    }))
  }

  /** Ends the session, if one is open. With `isFree`, it costs nothing. */
  async end({ isFree = false } = {}): Promise<void> {
    const opening = this.#opening
    this.#opening = undefined
    const open = await opening?.catch(() => undefined)
    if (open === undefined) return
    const { session, share } = open
    await open[Symbol.asyncDispose]()
    const row = await this.#deps.sessions.end(session.row.id, 'deleted', isFree ? { isUnclaimed: true } : {})
    const creditsUsed = row?.creditsBilled ?? share.credits
    share.settle(creditsUsed)
    const { id: sessionId } = session.row
    await this.#record({
      type: 'browser.session.finished',
      sessionId,
      durationMs: row?.durationMs ?? 0,
      creditsUsed,
    })
  }

  async #open(): Promise<OpenSession> {
    const open = await this.#opening?.catch(() => undefined)
    if (open?.session.ended.aborted === true) await this.end()
    this.#opening ??= this.#start()
    try {
      return await this.#opening
    } catch (error) {
      this.#opening = undefined
      throw error
    }
  }

  async #start(): Promise<OpenSession> {
    const { sessions } = this.#deps
    const { job, pages } = this.#scope
    if (this.#count >= maxAgentSessions)
      throw new BowlineError('BAD_REQUEST', `An agent can open ${maxAgentSessions} browser sessions`)
    const { share, ttl } = this.#reserve()
    await using undo = new AsyncDisposableStack()
    undo.defer(() => share.settle(0))
    this.#count += 1
    const request = createSessionRequest.parse({ ttl, activityTtl: Math.min(ttl, 300), name: 'Agent' })
    const row = await sessions.create({
      teamId: job.teamId,
      apiKeyId: job.apiKeyId,
      request,
      idempotencyKey: agentSessionKey(job.id, this.#count),
    })
    undo.defer(async () => void (await sessions.end(row.id, 'deleted', { isUnclaimed: true })))
    const session = sessions.find(row.id)
    if (session === undefined) throw new BowlineError('SESSION_ENDED', 'The browser session has ended')
    if (pages.isStrict) {
      const isRefused = (url: string): boolean => /^https?:/.test(url) && !pages.includes(url)
      // Advertisements and comments in frames of other hosts are not text of the pages to read.
      const isFrameRefused = (url: string): boolean => /^https?:/.test(url) && !pages.includesHostOf(url)
      await guardNavigations(session.browser.router, { isRefused, isFrameRefused, onRefused: () => undefined })
    }
    await this.#record({ type: 'browser.session.started', sessionId: row.id })
    const browser = undo.use(await openBrowserTools(this.#deps, session, { timeoutMs, allowedDomains: pages.hosts }))
    undo.move()
    return { session, share, browser, [Symbol.asyncDispose]: async () => browser[Symbol.asyncDispose]() }
  }

  /** Reserves the price of the longest lifetime that leaves credits for the last step. */
  #reserve(): { readonly share: BudgetShare; readonly ttl: number } {
    const { prices, maxTtlSeconds } = this.#deps
    const { budget } = this.#scope
    const available = budget.left - 2 * prices.agentStep
    let ttl = Math.min(ttlSeconds, maxTtlSeconds)
    while (ttl > minTtlSeconds && priceOfSession(prices, ttl * 1000) > available) ttl -= minTtlSeconds
    const credits = priceOfSession(prices, ttl * 1000)
    if (ttl < minTtlSeconds || credits > available) throw new BudgetExceeded('max-credits')
    return { share: budget.reserveForSession(credits), ttl }
  }
}
