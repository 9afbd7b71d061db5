import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { isBowlineError } from 'bowline/kit/errors'
import type { RobotsRules } from '../map/robots-rules.ts'
import type { Scrapes, ScrapeOutcome } from '../scrape/scrapes.ts'
import { endBulkPage, type BulkPageRow, type PageEnd } from '../store/bulk-pages.ts'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import type { Announcer } from './announcer.ts'
import { pauseMs, retryMs, tries } from './another-try.ts'
import type { Crawler, NextPages } from './crawler.ts'
import { JobFault } from './job-fault.ts'
import type { HostGates } from './host-gates.ts'
import type { News } from './news.ts'
import { scrapeOf, type BulkJob } from './plan.ts'
import type { Slots } from '../kit/slots.ts'

/** What pages of jobs are scraped with. */
export interface PageScraperParts {
  readonly store: Store
  readonly scrapes: Pick<Scrapes, 'scrape'>
  readonly announcer: Announcer
  readonly news: News
  /** Pages that this server scrapes at a time. */
  readonly slots: Slots
  readonly gates: HostGates
  readonly robots: RobotsRules
  readonly honoursRobots: boolean
  readonly crawler: Crawler
}

/** Servers that may die with a page in hand before it is not tried again. Those without crashes go first, so that few do. */
const maxCrashes = 20

type Failure = Exclude<PageEnd, { state: 'completed' }>

/** Another server has ended the page, or somebody the job: whatever was done here is undone. */
class Superseded extends Error {}

/** Scrapes pages of jobs, each to an end that is written down once. */
export class PageScraper {
  readonly #parts: PageScraperParts

  constructor(parts: PageScraperParts) {
    this.#parts = parts
  }

  /** Scrapes one page. Throws the signal's reason, and what keeps the store from working; what is wrong with the page is its end. */
  async scrape(job: BulkJob, page: BulkPageRow, signal: AbortSignal): Promise<void> {
    try {
      const end = page.crashes >= maxCrashes ? fatal(page) : await this.#endOf(job, page, signal)
      if (end !== undefined) await this.#fail(job, page, end)
    } catch (error) {
      if (!(error instanceof Superseded)) throw error
    }
    this.#parts.news.tell(job.id)
  }

  /** Answers how the page ended, unless it was completed. */
  async #endOf(job: BulkJob, page: BulkPageRow, signal: AbortSignal): Promise<Failure | undefined> {
    await this.#parts.crawler.begin(job, page, signal)
    return (await this.#isBlocked(job, page)) ? blocked(page) : this.#try(job, page, signal)
  }

  async #isBlocked({ plan }: BulkJob, { url }: BulkPageRow): Promise<boolean> {
    const { robots, honoursRobots } = this.#parts
    const asks = plan.crawl === undefined ? honoursRobots : !plan.crawl.ignoreRobotsTxt
    return asks && !(await robots.allows(url))
  }

  /** Answers how the page failed, if it did. */
  async #try(job: BulkJob, page: BulkPageRow, signal: AbortSignal): Promise<Failure | undefined> {
    const { host } = new URL(page.url)
    for (let attempt = 1; ; attempt += 1) {
      const error = await this.#scrapeOnce(job, page, { isLast: attempt >= tries, signal })
      if (error === undefined) return undefined
      const pause = pauseMs(error)
      const wait = retryMs(error, attempt)
      if (pause !== undefined && attempt < tries) this.#parts.gates.pause(host, pause)
      else if (wait !== undefined) await sleep(wait, undefined, { signal })
      else return { state: 'failed', ...describe(error) }
    }
  }

  /** Answers what went wrong with the page. */
  async #scrapeOnce(
    job: BulkJob,
    page: BulkPageRow,
    { isLast, signal }: { readonly isLast: boolean; readonly signal: AbortSignal },
  ): Promise<unknown> {
    const { gates, slots, scrapes } = this.#parts
    using _gate = await gates.enter(new URL(page.url).host, signal)
    const { teamId, apiKeyId, baseUrl } = job
    const request = scrapeOf(job, page)
    let next: NextPages | undefined
    const prepare = async (outcome: ScrapeOutcome): Promise<void> => {
      next = await this.#parts.crawler.follow(job, page, outcome)
    }
    const alongside = async (db: Kysely<Database>, outcome: ScrapeOutcome): Promise<void> => {
      if (next !== undefined) await this.#parts.crawler.add(db, job.id, next)
      await this.#complete(db, job, page, outcome)
    }
    try {
      await scrapes.scrape({
        request,
        sourceUrl: page.sourceUrl,
        teamId,
        apiKeyId,
        baseUrl,
        signal,
        prepare,
        alongside,
        // A page that waits for a place among the work of its team keeps none of this server.
        enter: async () => slots.take(signal),
        id: page.scrapeId,
        // The last time, what the page says is its document.
        minds: !isLast,
      })
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      // A fault of the store says nothing about the page, which goes back to the queue.
      if (error instanceof Superseded || error instanceof JobFault || isStoreUnavailable(error)) throw error
      return error
    }
  }

  async #complete(db: Kysely<Database>, job: BulkJob, page: BulkPageRow, outcome: ScrapeOutcome): Promise<void> {
    const { announcer } = this.#parts
    if (!(await endBulkPage(db, page, { state: 'completed', credits: outcome.credits }))) throw new Superseded()
    await announcer.pageCompleted(db, job, page, outcome.document)
  }

  async #fail(job: BulkJob, page: BulkPageRow, end: Failure): Promise<void> {
    const { store, announcer } = this.#parts
    await store.db.transaction().execute(async (db) => {
      if (!(await endBulkPage(db, page, end))) throw new Superseded()
      await announcer.pageFailed(db, job, page, end.error)
    })
  }
}

function fatal({ url, crashes }: BulkPageRow): Failure {
  return {
    state: 'failed',
    code: 'UNKNOWN_ERROR',
    error: `${crashes} times a server crashed while it scraped ${url}`,
  }
}

function blocked({ url }: BulkPageRow): Failure {
  return {
    state: 'blocked',
    code: 'SCRAPE_ROBOTS_BLOCKED',
    error: `robots.txt forbids ${url}`,
  }
}

function describe(error: unknown): { readonly code: string; readonly error: string } {
  return isBowlineError(error)
    ? { code: error.code, error: error.message }
    : { code: 'UNKNOWN_ERROR', error: 'The server could not scrape the page because of an error of its own' }
}
