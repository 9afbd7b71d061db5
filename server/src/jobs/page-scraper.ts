import { sleep } from 'bowline/kit/sleep'
import type { Kysely } from 'kysely'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { RobotsRules } from '../map/robots-rules.ts'
import { currentSpan, inOwnTrace } from '../kit/current-work.ts'
import { addCharges, type Charge } from '../billing/account.ts'
import type { Billing } from '../billing/billing.ts'
import { createBatcher } from '../kit/create-batcher.ts'
import { asLookupOwner } from '../kit/lookup-owner.ts'
import { PricedScrape } from '../scrape/priced-scrape.ts'
import { withScrapeTimeout } from '../scrape/scrape-timeout.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import { completeJobPages, failJobPage, type JobPageRow, type PageFailure } from './job-page-queries.ts'
import { addJobWarnings } from './job-queries.ts'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import type { JobWebhooks } from './job-webhooks.ts'
import { throttleDelayMs, retryDelayMs, maxAttempts } from './retry-delays.ts'
import type { PageDiscovery } from './page-discovery.ts'
import { FatalJobError } from './fatal-job-error.ts'
import type { HostThrottle } from './host-throttle.ts'
import type { JobEvents } from './job-events.ts'
import { crawlRules, scrapeOf, type Job } from './plan.ts'
import type { Semaphore } from '../kit/semaphore.ts'

/** Dependencies of a `PageScraper`. */
export interface PageScraperDeps {
  readonly store: Store
  readonly billing: Pick<Billing, 'reserve' | 'settle' | 'noteCharge'>
  readonly scrapes: Pick<Scrapes, 'estimate' | 'load'>
  readonly jobWebhooks: JobWebhooks
  readonly jobEvents: JobEvents
  /** Limits the pages that this server scrapes at once. */
  readonly slots: Semaphore
  readonly throttle: HostThrottle
  readonly robots: RobotsRules
  readonly honoursRobots: boolean
  readonly pageDiscovery: PageDiscovery
}

/**
 * Server crashes after which a page fails: each one ends all sessions of the server. After
 * `suspectAfterCrashes` it is scraped last and with no other suspect, so further crashes are almost
 * certainly its own.
 */
const maxCrashes = 5

/** Minimum milliseconds between two commits. Pages that end in between share the next one. */
const commitIntervalMs = 50

/** A page of a job with what was scraped. */
interface ScrapedPage {
  readonly job: Job
  readonly page: JobPageRow
  readonly scrape: PricedScrape
}

/** Scrapes pages of jobs and stores the outcome of each exactly once. */
export class PageScraper {
  readonly #deps: PageScraperDeps
  readonly #completeWithoutHold: (page: ScrapedPage) => Promise<void>

  constructor(deps: PageScraperDeps) {
    this.#deps = deps
    // A commit costs the embedded database about as much as the rows of four pages.
    this.#completeWithoutHold = createBatcher(
      async (pages: readonly ScrapedPage[]) => {
        const charges = pages.map(chargeOf)
        await deps.store.db.transaction().execute(async (db) => {
          await this.#complete(db, pages)
          await addCharges(db, charges)
        })
        for (const charge of charges) deps.billing.noteCharge(charge)
      },
      { intervalMs: commitIntervalMs },
    )
  }

  /**
   * Scrapes one page and stores its outcome, including failures of the page. Throws the signal's
   * reason and failures of the store.
   */
  async scrape(job: Job, page: JobPageRow, signal: AbortSignal): Promise<void> {
    const attributes = { 'bowline.job.id': job.id, 'bowline.job.kind': job.kind, 'bowline.page': page.position }
    await asLookupOwner(job.teamId, async () =>
      inOwnTrace('job.page', async () => this.#scrapePage(job, page, signal), { attributes }),
    )
  }

  async #scrapePage(job: Job, page: JobPageRow, signal: AbortSignal): Promise<void> {
    try {
      const end = page.crashes >= maxCrashes ? crashed(page) : await this.#process(job, page, signal)
      if (end !== undefined) {
        if (end.code !== undefined) currentSpan()?.fail(end.code)
        await this.#fail(job, page, end)
      }
    } catch (error) {
      if (!(error instanceof SupersededError)) throw error
    }
    this.#deps.jobEvents.notify(job.id)
  }

  /** Returns how the page failed or was blocked, or `undefined` if it was completed. */
  async #process(job: Job, page: JobPageRow, signal: AbortSignal): Promise<PageFailure | undefined> {
    await this.#deps.pageDiscovery.addSitemapPages(job, page, signal)
    return (await this.#isAllowed(job, page)) ? this.#scrapeWithRetries(job, page, signal) : blocked(page)
  }

  /** Returns whether robots.txt allows a job to load a page, or the URL that it led to. */
  async #isAllowed(job: Job, page: JobPageRow, url = page.url): Promise<boolean> {
    const { robots, honoursRobots, store } = this.#deps
    const crawl = crawlRules(job, page)
    const checksRobots = crawl === undefined ? honoursRobots : !crawl.ignoreRobotsTxt
    if (!checksRobots) return true
    const { isAllowed, warnings } = await robots.check(url)
    await addJobWarnings(store.db, job.id, warnings)
    return isAllowed
  }

  /** Throws SCRAPE_ROBOTS_BLOCKED if robots.txt disallows the URL that a page led to. */
  async #checkTarget(job: Job, page: JobPageRow, target: string): Promise<void> {
    if (target === page.url || !/^https?:/i.test(target) || (await this.#isAllowed(job, page, target))) return
    throw new BowlineError('SCRAPE_ROBOTS_BLOCKED', `${page.url} leads to ${target}, which robots.txt disallows`)
  }

  /** Returns how the page failed, if it did. */
  async #scrapeWithRetries(job: Job, page: JobPageRow, signal: AbortSignal): Promise<PageFailure | undefined> {
    const { host } = new URL(page.url)
    for (let attempt = 1; ; attempt += 1) {
      const error = await this.#attempt(job, page, { isLast: attempt >= maxAttempts, signal })
      if (error === undefined) return undefined
      if (error instanceof DuplicateError) return { state: 'duplicate', error: error.message }
      const pause = throttleDelayMs(error)
      const wait = retryDelayMs(error, attempt)
      if (pause !== undefined && attempt < maxAttempts) this.#deps.throttle.pause(host, pause)
      else if (wait !== undefined) await sleep(wait, signal)
      else return { state: isRobotsBlock(error) ? 'blocked' : 'failed', ...describe(error) }
    }
  }

  /** Returns the error of one attempt, if it failed. */
  async #attempt(
    job: Job,
    page: JobPageRow,
    { isLast, signal }: { readonly isLast: boolean; readonly signal: AbortSignal },
  ): Promise<unknown> {
    using hostSlot = await this.#deps.throttle.acquireSlot(new URL(page.url).host, signal)
    try {
      await this.#scrapeOnce(job, page, { isLast, hostSlot, signal })
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      // Failures of the store are not failures of the page, which goes back to the queue.
      if (error instanceof SupersededError || error instanceof FatalJobError || isStoreUnavailable(error)) throw error
      return error
    }
  }

  /** Scrapes a page, and commits it with its bill and the pages that it links to. */
  async #scrapeOnce(
    job: Job,
    page: JobPageRow,
    {
      isLast,
      hostSlot,
      signal,
    }: { readonly isLast: boolean; readonly hostSlot: Disposable; readonly signal: AbortSignal },
  ): Promise<void> {
    const { billing, slots, scrapes, pageDiscovery } = this.#deps
    const { teamId } = job
    const request = scrapeOf(job, page)
    const work = { teamId, credits: scrapes.estimate(request), takesSlot: true }
    // The timeout of a page covers only the scrape itself.
    await using hold = await billing.reserve(work, { waitMs: Infinity, signal })
    // After the team's slot: a page that waits for that must not occupy a slot of this server.
    using slot = await slots.acquire(signal)
    await using scrape = await this.#load(job, page, { request, waitedMs: hold.waitedMs, isLast, signal })
    const next = await pageDiscovery.findNextPages(job, page, scrape)
    // The next page is scraped while this one waits for its commit.
    for (const each of [slot, hostSlot]) each[Symbol.dispose]()
    const scraped = { job, page, scrape }
    const target = pageDiscovery.targetOf(job, page, finalUrlOf(scraped))
    // Claims and additions lock the job, which pages that share a commit must not do in any order.
    if (hold.id === undefined && next === undefined && target === undefined) await this.#completeWithoutHold(scraped)
    else {
      await billing.settle(hold, chargeOf(scraped), async (db) => {
        if (target !== undefined && !(await pageDiscovery.claimTarget(db, page, target)))
          throw new DuplicateError(`${page.url} leads to ${finalUrlOf(scraped)}, which the crawl has already scraped`)
        if (next !== undefined) await pageDiscovery.addPages(db, job.id, next)
        await this.#complete(db, [scraped])
      })
    }
    scrape.markSaved()
  }

  /** Scrapes a page. On the last attempt, the response is the document, even a 429 or 503. */
  async #load(
    job: Job,
    page: JobPageRow,
    attempt: {
      readonly request: ScrapeRequest
      readonly waitedMs: number
      readonly isLast: boolean
      readonly signal: AbortSignal
    },
  ): Promise<PricedScrape> {
    const { teamId, apiKeyId, baseUrl } = job
    const { scrapeId: id, sourceUrl } = page
    const { request, waitedMs, isLast } = attempt
    const checkRedirect = async (to: URL): Promise<void> => this.#checkTarget(job, page, to.href)
    const { url: subject, timeout } = attempt.request
    return withScrapeTimeout({ subject, timeout, signal: attempt.signal }, async (signal) => {
      const call = { id, request, sourceUrl, teamId, apiKeyId, baseUrl, waitedMs, checkRedirect, signal }
      const loaded = await this.#deps.scrapes.load(call)
      if (!isLast) loaded.assertNotThrottled()
      const scrape = await loaded.finish()
      try {
        const finalUrl = finalUrlOf({ page, scrape })
        // Browsers follow redirects and scripts themselves, and cached pages may have been redirected.
        await this.#checkTarget(job, page, finalUrl)
        if (finalUrl !== page.url) await this.#deps.pageDiscovery.assertInScope(job, page, finalUrl)
      } catch (error) {
        await scrape[Symbol.asyncDispose]()
        throw error
      }
      return scrape
    })
  }

  async #complete(db: Kysely<Database>, pages: readonly ScrapedPage[]): Promise<void> {
    const ends = pages.map(({ page: { jobId, position }, scrape: { credits } }) => ({ jobId, position, credits }))
    if (!(await completeJobPages(db, ends))) throw new SupersededError()
    for (const { job, page, scrape } of pages) {
      await this.#deps.jobWebhooks.pageCompleted(db, job, page, scrape.document)
    }
    await PricedScrape.saveAll(
      db,
      pages.map(({ scrape }) => scrape),
    )
  }

  async #fail(job: Job, page: JobPageRow, end: PageFailure): Promise<void> {
    const { store, jobWebhooks } = this.#deps
    await store.db.transaction().execute(async (db) => {
      if (!(await failJobPage(db, page, end))) throw new SupersededError()
      if (end.state !== 'duplicate') await jobWebhooks.pageFailed(db, job, page, end.error)
    })
  }
}

/** Another server has ended the page, or the job has ended. The transaction is rolled back. */
class SupersededError extends Error {}

/** The page was redirected to another page of the job. The transaction is rolled back. */
class DuplicateError extends Error {}

function finalUrlOf({ page, scrape }: Pick<ScrapedPage, 'page' | 'scrape'>): string {
  return scrape.document.metadata.url ?? page.url
}

function chargeOf({ scrape }: ScrapedPage): Charge {
  return { ...scrape.charge, kind: 'job' }
}

function crashed({ url, crashes }: JobPageRow): PageFailure {
  return {
    state: 'failed',
    code: 'UNKNOWN_ERROR',
    error: `The server crashed ${crashes} times while scraping ${url}`,
  }
}

function isRobotsBlock(error: unknown): boolean {
  return isBowlineError(error) && error.code === 'SCRAPE_ROBOTS_BLOCKED'
}

function blocked({ url }: JobPageRow): PageFailure {
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
