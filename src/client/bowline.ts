import { createActivity, type ListActivity } from './activity.ts'
import { createAuditLog, type ListAuditLog } from './audit-log.ts'
import { createAgents, type AgentCalls } from './agent.ts'
import { createBulk, type Bulk } from './bulk.ts'
import { createCall } from './call.ts'
import { checkWork } from './check-options.ts'
import { resolveConfig, type BowlineOptions } from './config.ts'
import { startEmbedded, type EmbeddedOptions } from './embedded.ts'
import { createExtensions, type Extensions } from './extensions.ts'
import { createExtracting, type Extracting } from './extract.ts'
import { createJobs, type ListJobs } from './jobs.ts'
import { createKeys, type Keys } from './keys.ts'
import { createScraping, type Scraping } from './scraping.ts'
import { createMap, type MapSite } from './map.ts'
import { createParse, type ParseFile } from './parse.ts'
import type { PoolOptions } from './pool/options.ts'
import { createPool, type Pool } from './pool/pool.ts'
import { createMonitors, type Monitors } from './monitors.ts'
import { createProfiles, type Profiles } from './profiles.ts'
import { createSearch, type Search } from './search.ts'
import { createSecrets, type Secrets } from './secrets.ts'
import { SessionOpener } from './open-session.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createTeams, type Teams } from './teams.ts'
import { createConcurrency, createUsage, type GetConcurrency, type Usage } from './usage.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'
import { withSession, type SessionOutcome, type WithSessionOptions, type SessionScope } from './with-session.ts'
import { AsyncDisposableStack } from '../kit/disposable-stack.ts'

/**
 * Client of one Bowline server or compatible service.
 *
 * Disposing of the client ends the sessions it still has open. Sessions that are being created at
 * that moment are deleted as soon as the server has created them.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 * import { playwright } from 'bowline/playwright'
 *
 * await using bowline = new Bowline() // reads BOWLINE_BASE_URL and BOWLINE_API_KEY
 *
 * const { markdown } = await bowline.scrape('https://example.com')
 * const { result: title } = await bowline.withSession({ driver: playwright }, async ({ page }) => {
 *   await page.goto('https://example.com')
 *   return page.title()
 * })
 * console.log(title, markdown)
 * ```
 */
export class Bowline implements AsyncDisposable {
  /** Base URL of the service, without a trailing slash. */
  readonly baseUrl: string
  /** Creates, lists and deletes browser sessions. */
  readonly sessions: Sessions
  /** Manages API keys. */
  readonly keys: Keys
  /** Scrapes one page. */
  readonly scrape: Scraping['scrape']
  /** Returns a scrape of the last 24 hours by its id. */
  readonly getScrape: Scraping['getScrape']
  /** Converts a file, such as a PDF or an office document. */
  readonly parse: ParseFile
  /** Extracts structured data from pages with a language model. */
  readonly extract: Extracting['extract']
  /** Returns the state and result of an extraction by its id. */
  readonly getExtract: Extracting['getExtract']
  /** Lets an agent do a task with searches, scrapes and a browser session. */
  readonly agent: AgentCalls['agent']
  /** Starts an agent without waiting for its end. */
  readonly startAgent: AgentCalls['startAgent']
  /** Returns the state and result of an agent by its id. */
  readonly getAgent: AgentCalls['getAgent']
  /** Cancels an agent. */
  readonly cancelAgent: AgentCalls['cancelAgent']
  /** Returns the steps of an agent with their costs. */
  readonly getAgentTrace: AgentCalls['getAgentTrace']
  /**
   * Scrapes many URLs. Await the run for all documents, or iterate over it to get each one early.
   */
  readonly batchScrape: Bulk['batchScrape']
  /** Scrapes a site by following its links. Use the returned run like that of `batchScrape`. */
  readonly crawl: Bulk['crawl']
  /** Scrapes the failed pages of an ended batch or crawl again. Use the returned run likewise. */
  readonly retryFailed: Bulk['retryFailed']
  /** Returns an existing batch or crawl by its id. Use the returned run likewise. */
  readonly job: Bulk['job']
  /** Lists batches, crawls, extractions and agents with their status. */
  readonly jobs: ListJobs
  /** Searches the web, and optionally scrapes the results. */
  readonly search: Search
  /** Lists the URLs of a site. */
  readonly map: MapSite
  /** Manages saved browser state, such as cookies and logins. */
  readonly profiles: Profiles
  /** Manages browser extensions that sessions can load. */
  readonly extensions: Extensions
  /** Manages secrets that sessions type by name. */
  readonly secrets: Secrets
  /** Checks pages on a schedule and reports changes. */
  readonly monitors: Monitors
  /** Lists and redelivers webhook events, and manages the signing secret. */
  readonly webhooks: Webhooks
  /** Reports the credits that the team has used and has left. */
  readonly usage: Usage
  /** Lists the API calls of the last 24 hours that started work. */
  readonly activity: ListActivity
  /**
   * Lists changes to keys, teams, profiles and secrets, failed authentication and denied access.
   * Requires an admin key.
   */
  readonly auditLog: ListAuditLog
  /** Returns the number of running sessions and scrapes, and its limit. */
  readonly concurrency: GetConcurrency
  /** Manages teams and their limits. */
  readonly teams: Teams
  readonly #handleSignals: boolean
  readonly #opener: SessionOpener
  readonly #owned = new AsyncDisposableStack()

  /**
   * Creates a client. It opens no connection and no session.
   *
   * `baseUrl` and `apiKey` default to `BOWLINE_BASE_URL` and `BOWLINE_API_KEY`. Throws
   * CONFIG_INVALID if an option is missing, unknown or invalid.
   */
  constructor(options?: BowlineOptions)
  /** @internal */
  constructor(options: BowlineOptions, internal: { readonly isEmbedded: boolean })
  constructor(options: BowlineOptions = {}, internal: { readonly isEmbedded: boolean } = { isEmbedded: false }) {
    const config = resolveConfig(options)
    const call = createCall(config)
    this.baseUrl = config.baseUrl
    this.#handleSignals = config.handleSignals
    const deps = { call, config, ...internal }
    this.#opener = new SessionOpener(deps)
    this.sessions = createSessions(deps, this.#opener)
    this.keys = createKeys(call)
    const { scrape, getScrape } = createScraping(call)
    this.scrape = scrape
    this.getScrape = getScrape
    this.parse = createParse(config)
    const { extract, getExtract } = createExtracting(call)
    this.extract = extract
    this.getExtract = getExtract
    const { agent, startAgent, getAgent, cancelAgent, getAgentTrace } = createAgents(call)
    this.agent = agent
    this.startAgent = startAgent
    this.getAgent = getAgent
    this.cancelAgent = cancelAgent
    this.getAgentTrace = getAgentTrace
    const { batchScrape, crawl, retryFailed, job } = createBulk(call)
    this.batchScrape = batchScrape
    this.crawl = crawl
    this.retryFailed = retryFailed
    this.job = job
    this.jobs = createJobs(call)
    this.search = createSearch(call)
    this.map = createMap(call, config)
    this.profiles = createProfiles(call)
    this.extensions = createExtensions(call, config)
    this.secrets = createSecrets(call)
    this.monitors = createMonitors(call)
    this.webhooks = createWebhooks(call)
    this.usage = createUsage(call)
    this.activity = createActivity(call)
    this.auditLog = createAuditLog(call)
    this.concurrency = createConcurrency(call)
    this.teams = createTeams(call)
  }

  /**
   * Starts a Bowline server in this process, on a free loopback port, and returns a client for it.
   * Needs the package `bowline-server`.
   *
   * Disposing of the client ends its sessions and stops the server. Throws SERVER_MISSING if the
   * package is not installed, and the errors of `startServer`.
   *
   * @example
   * ```ts
   * import { Bowline } from 'bowline'
   * import { playwright } from 'bowline/playwright'
   *
   * await using bowline = await Bowline.embedded({ allow: ['127.0.0.1'] })
   * const { result } = await bowline.withSession({ driver: playwright }, async ({ page }) => {
   *   await page.goto('https://example.com')
   *   return page.title()
   * })
   * console.log(result)
   * ```
   */
  static async embedded(options: EmbeddedOptions = {}): Promise<Bowline> {
    const server = await startEmbedded(options)
    const { handleSignals } = options
    const bowline = new Bowline(
      { baseUrl: server.url, apiKey: server.apiKey, handleSignals, reaper: false },
      { isEmbedded: true },
    )
    bowline.#owned.use(server)
    return bowline
  }

  /**
   * Creates a session, runs `work` on it, and deletes the session.
   *
   * The session is deleted when `work` returns, throws, times out or is aborted, and when the
   * process receives a signal, exits, crashes or is killed.
   *
   * - An error thrown by `work` is rethrown unchanged. If the deletion fails as well, that error
   *   goes to `onEnd` and `process.emitWarning`.
   * - If only the deletion fails, this rejects with DELETE_FAILED. `details.result` holds the
   *   return value of `work`.
   * - Rejects with TIMEOUT after `timeoutMs`, and with the signal's reason when `signal` aborts.
   *
   * @example
   * ```ts
   * import { Bowline } from 'bowline'
   * import { playwright } from 'bowline/playwright'
   *
   * const bowline = new Bowline()
   * const { result, sessionDurationMs, creditsBilled } = await bowline.withSession(
   *   { ttl: 60, driver: playwright, timeoutMs: 30_000 },
   *   async ({ page, signal }) => {
   *     await page.goto('https://example.com')
   *     signal.throwIfAborted()
   *     return page.title()
   *   },
   * )
   * console.log(`${result}: ${sessionDurationMs} ms, ${creditsBilled} credits`)
   * ```
   */
  async withSession<Result, Handles = unknown>(
    options: WithSessionOptions<Handles>,
    work: (scope: SessionScope & Handles) => Result | Promise<Result>,
  ): Promise<SessionOutcome<Awaited<Result>>> {
    checkWork('withSession()', work)
    return withSession({ opener: this.#opener, handleSignals: this.#handleSignals }, options, (scope) => work(scope))
  }

  /**
   * Creates a pool, which runs a function over many items on a limited number of sessions. Sessions
   * are created when a run is iterated, not before. Throws CONFIG_INVALID.
   *
   * @example
   * ```ts
   * import { Bowline } from 'bowline'
   * import { playwright } from 'bowline/playwright'
   *
   * const bowline = new Bowline()
   * const pool = bowline.pool({ driver: playwright, size: 2, budget: 20 })
   * const urls = ['https://example.com/', 'https://example.com/links']
   * const run = pool.run(urls, async (url, { page }) => {
   *   await page.goto(url)
   *   return page.title()
   * })
   * for await (const { item, result, error } of run) console.log(item, result ?? error)
   * ```
   */
  pool<Handles = unknown>(options: PoolOptions<Handles> = {}): Pool<Handles> {
    const { sessions } = this
    return createPool({ sessions, opener: this.#opener, handleSignals: this.#handleSignals }, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const endings = await this.#opener.endAll()
    await this.#owned.disposeAsync()
    const failed = endings.find((ending) => ending.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}
