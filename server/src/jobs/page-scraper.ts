import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { isBowlineError } from 'bowline/kit/errors'
import type { RobotsRules } from '../map/robots-rules.ts'
import type { Scrapes, ScrapeOutcome } from '../scrape/scrapes.ts'
import { endJobPage, type JobPageRow, type PageEnd } from '../store/job-pages.ts'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import type { JobWebhooks } from './job-webhooks.ts'
import { pauseMs, retryMs, tries } from './another-try.ts'
import type { Crawler, NextPages } from './crawler.ts'
import { JobFault } from './job-fault.ts'
import type { HostThrottle } from './host-throttle.ts'
import type { JobEvents } from './job-events.ts'
import { scrapeOf, type Job } from './plan.ts'
import type { Semaphore } from '../kit/semaphore.ts'

/** What pages of jobs are scraped with. */
export interface PageScraperDeps {
  readonly store: Store
  readonly scrapes: Pick<Scrapes, 'scrape'>
  readonly jobWebhooks: JobWebhooks
  readonly jobEvents: JobEvents
  /** Pages that this server scrapes at a time. */
  readonly slots: Semaphore
  readonly throttle: HostThrottle
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
  readonly #deps: PageScraperDeps

  constructor(deps: PageScraperDeps) {
    this.#deps = deps
  }

  /** Scrapes one page. Throws the signal's reason, and what keeps the store from working; what is wrong with the page is its end. */
  async scrape(job: Job, page: JobPageRow, signal: AbortSignal): Promise<void> {
    try {
      const end = page.crashes >= maxCrashes ? fatal(page) : await this.#endOf(job, page, signal)
      if (end !== undefined) await this.#fail(job, page, end)
    } catch (error) {
      if (!(error instanceof Superseded)) throw error
    }
    this.#deps.jobEvents.notify(job.id)
  }

  /** Answers how the page ended, unless it was completed. */
  async #endOf(job: Job, page: JobPageRow, signal: AbortSignal): Promise<Failure | undefined> {
    await this.#deps.crawler.begin(job, page, signal)
    return (await this.#isBlocked(job, page)) ? blocked(page) : this.#try(job, page, signal)
  }

  async #isBlocked({ plan }: Job, { url }: JobPageRow): Promise<boolean> {
    const { robots, honoursRobots } = this.#deps
    const asks = plan.crawl === undefined ? honoursRobots : !plan.crawl.ignoreRobotsTxt
    return asks && !(await robots.allows(url))
  }

  /** Answers how the page failed, if it did. */
  async #try(job: Job, page: JobPageRow, signal: AbortSignal): Promise<Failure | undefined> {
    const { host } = new URL(page.url)
    for (let attempt = 1; ; attempt += 1) {
      const error = await this.#scrapeOnce(job, page, { isLast: attempt >= tries, signal })
      if (error === undefined) return undefined
      const pause = pauseMs(error)
      const wait = retryMs(error, attempt)
      if (pause !== undefined && attempt < tries) this.#deps.throttle.pause(host, pause)
      else if (wait !== undefined) await sleep(wait, undefined, { signal })
      else return { state: 'failed', ...describe(error) }
    }
  }

  /** Answers what went wrong with the page. */
  async #scrapeOnce(
    job: Job,
    page: JobPageRow,
    { isLast, signal }: { readonly isLast: boolean; readonly signal: AbortSignal },
  ): Promise<unknown> {
    const { throttle, slots, scrapes } = this.#deps
    using _gate = await throttle.acquireSlot(new URL(page.url).host, signal)
    const { teamId, apiKeyId, baseUrl } = job
    const request = scrapeOf(job, page)
    let next: NextPages | undefined
    const prepare = async (outcome: ScrapeOutcome): Promise<void> => {
      next = await this.#deps.crawler.follow(job, page, outcome)
    }
    const onCommit = async (db: Kysely<Database>, outcome: ScrapeOutcome): Promise<void> => {
      if (next !== undefined) await this.#deps.crawler.add(db, job.id, next)
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
        onCommit,
        // A page that waits for a place among the work of its team keeps none of this server.
        acquireSlot: async () => slots.acquire(signal),
        id: page.scrapeId,
        // The last time, what the page says is its document.
        failOnThrottle: !isLast,
      })
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      // A fault of the store says nothing about the page, which goes back to the queue.
      if (error instanceof Superseded || error instanceof JobFault || isStoreUnavailable(error)) throw error
      return error
    }
  }

  async #complete(db: Kysely<Database>, job: Job, page: JobPageRow, outcome: ScrapeOutcome): Promise<void> {
    const { jobWebhooks } = this.#deps
    if (!(await endJobPage(db, page, { state: 'completed', credits: outcome.credits }))) throw new Superseded()
    await jobWebhooks.pageCompleted(db, job, page, outcome.document)
  }

  async #fail(job: Job, page: JobPageRow, end: Failure): Promise<void> {
    const { store, jobWebhooks } = this.#deps
    await store.db.transaction().execute(async (db) => {
      if (!(await endJobPage(db, page, end))) throw new Superseded()
      await jobWebhooks.pageFailed(db, job, page, end.error)
    })
  }
}

function fatal({ url, crashes }: JobPageRow): Failure {
  return {
    state: 'failed',
    code: 'UNKNOWN_ERROR',
    error: `${crashes} times a server crashed while it scraped ${url}`,
  }
}

function blocked({ url }: JobPageRow): Failure {
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
