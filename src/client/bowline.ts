import { BowlineError } from '../kit/errors.ts'
import { createActivity, type ListActivity } from './activity.ts'
import { createBulk, type Bulk } from './bulk.ts'
import { createCall } from './call.ts'
import { resolveConfig, type BowlineOptions } from './config.ts'
import { startEmbedded, type EmbeddedOptions } from './embedded.ts'
import { createExtracting, type Extracting } from './extract.ts'
import { createKeys, type Keys } from './keys.ts'
import { createScraping, type Scraping } from './scraping.ts'
import { createMap, type MapSite } from './map.ts'
import type { PoolOptions } from './pool/options.ts'
import { createPool, type Pool } from './pool/pool.ts'
import { createMonitors, type Monitors } from './monitors.ts'
import { createProfiles, type Profiles } from './profiles.ts'
import type { Session } from './session.ts'
import { createSearch, type Search } from './search.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { createTeams, type Teams } from './teams.ts'
import { createConcurrency, createUsage, type GetConcurrency, type Usage } from './usage.ts'
import { createWebhooks, type Webhooks } from './webhooks.ts'
import { withSession, type SessionOutcome, type WithSessionOptions, type Work } from './with-session.ts'
import { AsyncDisposableStack } from '../kit/disposable-stack.ts'

/** A client of one service. Disposing of it ends the sessions it still has open, and those that are being created when they come. */
export class Bowline implements AsyncDisposable {
  readonly baseUrl: string
  readonly sessions: Sessions
  readonly keys: Keys
  /** Scrapes one page. */
  readonly scrape: Scraping['scrape']
  /** Reads a scrape of the last 24 hours again. */
  readonly getScrape: Scraping['getScrape']
  /** Has the server's language model extract data from pages. */
  readonly extract: Extracting['extract']
  /** Reads an extraction of the last 24 hours again. */
  readonly getExtract: Extracting['getExtract']
  /** Scrapes many pages: await it for all, or iterate over them as they come. */
  readonly batchScrape: Bulk['batchScrape']
  /** Scrapes the pages of a site, following its links. */
  readonly crawl: Bulk['crawl']
  /** Searches, and scrapes the results when asked to. */
  readonly search: Search
  /** Lists the pages of a site. */
  readonly map: MapSite
  readonly profiles: Profiles
  readonly monitors: Monitors
  readonly webhooks: Webhooks
  /** What the team used and has left. */
  readonly usage: Usage
  /** Lists what the team did in the last 24 hours. */
  readonly activity: ListActivity
  /** Counts what runs for the team now, and what may. */
  readonly concurrency: GetConcurrency
  readonly teams: Teams
  readonly #handleSignals: boolean
  readonly #open = new Map<string, Session>()
  readonly #disposed = new AbortController()
  readonly #owned = new AsyncDisposableStack()

  /** Options that are absent come from `BOWLINE_BASE_URL` and `BOWLINE_API_KEY`. Throws CONFIG_INVALID. */
  constructor(options: BowlineOptions = {}, place: { readonly isEmbedded: boolean } = { isEmbedded: false }) {
    const config = resolveConfig(options)
    const call = createCall(config)
    this.baseUrl = config.baseUrl
    this.#handleSignals = config.handleSignals
    this.sessions = createSessions({ call, config, ...place }, this.#open, this.#disposed.signal)
    this.keys = createKeys(call)
    const { scrape, getScrape } = createScraping(call)
    this.scrape = scrape
    this.getScrape = getScrape
    const { extract, getExtract } = createExtracting(call)
    this.extract = extract
    this.getExtract = getExtract
    const { batchScrape, crawl } = createBulk(call)
    this.batchScrape = batchScrape
    this.crawl = crawl
    this.search = createSearch(call)
    this.map = createMap(call, config)
    this.profiles = createProfiles(call)
    this.monitors = createMonitors(call)
    this.webhooks = createWebhooks(call)
    this.usage = createUsage(call)
    this.activity = createActivity(call)
    this.concurrency = createConcurrency(call)
    this.teams = createTeams(call)
  }

  /** A client with a server of its own in this process, on a free loopback port. Disposing of it ends both. */
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
   * Runs work on a session of its own, which is deleted when the work returns, throws, runs out of time or is aborted,
   * and when the process gets a signal, exits, crashes or is killed. An error of the work comes through unchanged; a
   * deletion that fails beside it goes to `onEnd` and `process.emitWarning`. When only the deletion fails, this rejects
   * with DELETE_FAILED, whose `details.result` is what the work returned.
   */
  async withSession<Result, Handles = unknown>(
    options: WithSessionOptions<Handles>,
    work: (work: Work & Handles) => Result | Promise<Result>,
  ): Promise<SessionOutcome<Awaited<Result>>> {
    return withSession({ sessions: this.sessions, handleSignals: this.#handleSignals }, options, work)
  }

  /** Makes a pool, which works on many items with a few sessions. Nothing is started before a run is iterated. Throws CONFIG_INVALID. */
  pool<Handles = unknown>(options: PoolOptions<Handles> = {}): Pool<Handles> {
    return createPool({ sessions: this.sessions, handleSignals: this.#handleSignals }, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed.abort(new BowlineError('ABORTED', 'The client was disposed of'))
    const endings = await Promise.allSettled([...this.#open.values()].map((session) => session.end()))
    await this.#owned.disposeAsync()
    const failed = endings.find((ending) => ending.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }
}
