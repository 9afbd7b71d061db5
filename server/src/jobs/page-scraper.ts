import { setTimeout as sleep } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { isBowlineError } from 'bowline/kit/errors'
import type { RobotsRules } from '../map/robots-rules.ts'
import type { Scrapes, ScrapeOutcome } from '../scrape/scrapes.ts'
import { endJobPage, type JobPageRow, type PageEnd } from '../store/job-pages.ts'
import { addJobWarnings } from '../store/jobs.ts'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import type { JobWebhooks } from './job-webhooks.ts'
import { throttleDelayMs, retryDelayMs, maxAttempts } from './retry-delays.ts'
import type { Crawler, NextPages } from './crawler.ts'
import { FatalJobError } from './fatal-job-error.ts'
import type { HostThrottle } from './host-throttle.ts'
import type { JobEvents } from './job-events.ts'
import { scrapeOf, type Job } from './plan.ts'
import type { Semaphore } from '../kit/semaphore.ts'

/** Dependencies of a `PageScraper`. */
export interface PageScraperDeps {
  readonly store: Store
  readonly scrapes: Pick<Scrapes, 'scrape'>
  readonly jobWebhooks: JobWebhooks
  readonly jobEvents: JobEvents
  /** Limits the pages that this server scrapes at once. */
  readonly slots: Semaphore
  readonly throttle: HostThrottle
  readonly robots: RobotsRules
  readonly honoursRobots: boolean
  readonly crawler: Crawler
}

/**
 * Number of server crashes after which a page is given up. Each crash ends all sessions of the
 * server. After two, a page is scraped last and with no other suspected page, so three more crashes
 * are rarely those of another page.
 */
const maxCrashes = 5

type Failure = Exclude<PageEnd, { state: 'completed' }>

/** Scrapes pages of jobs and stores the outcome of each exactly once. */
export class PageScraper {
  readonly #deps: PageScraperDeps

  constructor(deps: PageScraperDeps) {
    this.#deps = deps
  }

  /**
   * Scrapes one page and stores its outcome, including failures of the page. Throws the signal's
   * reason and failures of the store.
   */
  async scrape(job: Job, page: JobPageRow, signal: AbortSignal): Promise<void> {
    try {
      const end = page.crashes >= maxCrashes ? crashed(page) : await this.#process(job, page, signal)
      if (end !== undefined) await this.#fail(job, page, end)
    } catch (error) {
      if (!(error instanceof SupersededError)) throw error
    }
    this.#deps.jobEvents.notify(job.id)
  }

  /** Returns how the page failed or was blocked, or `undefined` if it was completed. */
  async #process(job: Job, page: JobPageRow, signal: AbortSignal): Promise<Failure | undefined> {
    await this.#deps.crawler.addSitemapPages(job, page, signal)
    return (await this.#isBlocked(job, page)) ? blocked(page) : this.#scrapeWithRetries(job, page, signal)
  }

  async #isBlocked({ id, plan }: Job, { url }: JobPageRow): Promise<boolean> {
    const { robots, honoursRobots, store } = this.#deps
    const checksRobots = plan.crawl === undefined ? honoursRobots : !plan.crawl.ignoreRobotsTxt
    if (!checksRobots) return false
    const { isAllowed, warnings } = await robots.check(url)
    await addJobWarnings(store.db, id, warnings)
    return !isAllowed
  }

  /** Returns how the page failed, if it did. */
  async #scrapeWithRetries(job: Job, page: JobPageRow, signal: AbortSignal): Promise<Failure | undefined> {
    const { host } = new URL(page.url)
    for (let attempt = 1; ; attempt += 1) {
      const error = await this.#attempt(job, page, { isLast: attempt >= maxAttempts, signal })
      if (error === undefined) return undefined
      const pause = throttleDelayMs(error)
      const wait = retryDelayMs(error, attempt)
      if (pause !== undefined && attempt < maxAttempts) this.#deps.throttle.pause(host, pause)
      else if (wait !== undefined) await sleep(wait, undefined, { signal })
      else return { state: 'failed', ...describe(error) }
    }
  }

  /** Returns the error of one attempt, if it failed. */
  async #attempt(
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
      next = await this.#deps.crawler.findNextPages(job, page, outcome)
    }
    const onCommit = async (db: Kysely<Database>, outcome: ScrapeOutcome): Promise<void> => {
      if (next !== undefined) await this.#deps.crawler.addPages(db, job.id, next)
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
        // A page that waits for a slot of its team must not occupy a slot of this server.
        acquireSlot: async () => slots.acquire(signal),
        id: page.scrapeId,
        // On the last attempt, the response is the document, even a 429 or 503.
        failOnThrottle: !isLast,
      })
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      // Failures of the store are not failures of the page, which goes back to the queue.
      if (error instanceof SupersededError || error instanceof FatalJobError || isStoreUnavailable(error)) throw error
      return error
    }
  }

  async #complete(db: Kysely<Database>, job: Job, page: JobPageRow, outcome: ScrapeOutcome): Promise<void> {
    const { jobWebhooks } = this.#deps
    if (!(await endJobPage(db, page, { state: 'completed', credits: outcome.credits }))) throw new SupersededError()
    await jobWebhooks.pageCompleted(db, job, page, outcome.document)
  }

  async #fail(job: Job, page: JobPageRow, end: Failure): Promise<void> {
    const { store, jobWebhooks } = this.#deps
    await store.db.transaction().execute(async (db) => {
      if (!(await endJobPage(db, page, end))) throw new SupersededError()
      await jobWebhooks.pageFailed(db, job, page, end.error)
    })
  }
}

/** Another server has ended the page, or the job has ended. The transaction is rolled back. */
class SupersededError extends Error {}

function crashed({ url, crashes }: JobPageRow): Failure {
  return {
    state: 'failed',
    code: 'UNKNOWN_ERROR',
    error: `The server crashed ${crashes} times while scraping ${url}`,
  }
}

function blocked({ url }: JobPageRow): Failure {
  return {
    state: 'blocked',
    code: 'SCRAPE_ROBOTS_BLOCKED',
    error: `robots.txt disallows ${url}`,
  }
}

function describe(error: unknown): { readonly code: string; readonly error: string } {
  return isBowlineError(error)
    ? { code: error.code, error: error.message }
    : { code: 'UNKNOWN_ERROR', error: 'The page could not be scraped because of an internal server error' }
}
