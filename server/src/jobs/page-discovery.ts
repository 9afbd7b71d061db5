import type { Kysely } from 'kysely'
import type { Dispatcher } from 'undici'
import { mapRequest } from 'bowline/contract/map'
import { createDomainFilter } from 'bowline/kit/domain-pattern'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import { matchingBudgetMs, matchingBudgetExceeded, type PatternMatcher } from '../map/pattern-matcher.ts'
import { mapSite } from '../map/map-site.ts'
import type { ScrapeOutcome } from '../scrape/priced-scrape.ts'
import { addJobWarnings, addMatchingMs, findJob } from './job-queries.ts'
import { claimTarget, findIdentities, insertJobPages, nextPosition, type JobPageRow } from './job-page-queries.ts'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { chooseLinks, toCrawlPage, type CrawlPage } from './choose-links.ts'
import type { CrawlPlan } from './crawl-plan.ts'
import { FatalJobError } from './fatal-job-error.ts'
import { linksOf } from './page-links.ts'
import { crawlRules, type Job } from './plan.ts'

/** Dependencies of `PageDiscovery`. */
export interface PageDiscoveryDeps {
  readonly store: Store
  readonly dispatcher: Dispatcher
  /** Matches the regular expressions of crawls against URLs. */
  readonly matcher: Pick<PatternMatcher, 'match'>
}

/** Milliseconds to read the sitemaps of a site. */
const sitemapMs = 30_000

/** Pages to add to a crawl. */
export interface NextPages {
  readonly pages: readonly CrawlPage[]
  /** Number of links between the start page and these pages. */
  readonly depth: number
  /** Maximum number of pages of the crawl. */
  readonly limit: number
}

/**
 * Shortest matching time in milliseconds that counts towards the budget of a job. Loading the page
 * took longer than anything below.
 */
const countedMs = 10

/**
 * Finds the pages of crawls: from sitemaps before the first page, then from the links of each page.
 */
export class PageDiscovery {
  readonly #deps: PageDiscoveryDeps

  constructor(deps: PageDiscoveryDeps) {
    this.#deps = deps
  }

  /**
   * Adds the pages of the site's sitemaps before the first page is scraped. Missing or broken
   * sitemaps are ignored, since the crawl also follows links.
   */
  async addSitemapPages(job: Job, page: JobPageRow, signal: AbortSignal): Promise<void> {
    const { crawl } = job.plan
    if (crawl === undefined || page.position !== 0 || crawl.sitemap === 'skip') return
    const { url, limit, allowSubdomains: includeSubdomains, ignoreQueryParameters } = crawl
    const request = mapRequest.safeParse({
      url,
      limit,
      includeSubdomains,
      ignoreQueryParameters,
      filterByPath: !crawl.crawlEntireDomain,
      allowedDomains: allowedDomainsOf(job),
      sitemap: 'only',
      timeout: sitemapMs,
    })
    // Some URLs can be scraped but not mapped, such as one with a password.
    if (!request.success) return
    // Without sitemaps, a crawl follows the links of its pages.
    const found = await mapSite(this.#deps.dispatcher, request.data, {
      signal,
      ignoresRobots: crawl.ignoreRobotsTxt,
    }).catch(() => undefined)
    signal.throwIfAborted()
    if (found === undefined) return
    const urls = found.links.map((link) => link.url)
    const pages = await this.#choose(urls, job, crawl)
    await this.#deps.store.db.transaction().execute(async (db) => {
      await this.addPages(db, job.id, { pages, depth: 1, limit })
      await addJobWarnings(db, job.id, found.omissions)
    })
  }

  /**
   * Finds the pages that a page links to. Runs before the transaction that ends the page, so that
   * slow regular expressions block nothing.
   */
  async findNextPages(job: Job, page: JobPageRow, { document }: ScrapeOutcome): Promise<NextPages | undefined> {
    const { crawl } = job.plan
    const depth = page.depth + 1
    if (crawl === undefined || crawl.sitemap === 'only' || depth > (crawl.maxDiscoveryDepth ?? Infinity))
      return undefined
    const { urls, isCut } = linksOf(document)
    if (isCut) await addJobWarnings(this.#deps.store.db, job.id, [`Not all links of ${page.url} were read.`])
    return { pages: await this.#choose(urls, job, crawl), depth, limit: crawl.limit }
  }

  /**
   * Throws SCRAPE_OUT_OF_SCOPE if the crawl would not follow a link to the URL that a page led to.
   * The start page may lead anywhere.
   */
  async assertInScope(job: Job, page: JobPageRow, target: string): Promise<void> {
    const crawl = crawlRules(job, page)
    const isStart = job.plan.crawl === undefined ? page.url === crawl?.url : page.position === 0
    if (crawl === undefined || isStart) return
    const chosen = await this.#choose([target], job, crawl)
    if (chosen.length > 0) return
    throw new BowlineError('SCRAPE_OUT_OF_SCOPE', `${page.url} leads to ${target}, which the crawl excludes`)
  }

  /**
   * Returns the identity of the page that a page of a crawl was redirected to, or `undefined` if it
   * was not redirected.
   */
  targetOf({ plan: { crawl } }: Job, page: JobPageRow, finalUrl: string): string | undefined {
    if (crawl === undefined || finalUrl === page.url) return undefined
    const identity = toCrawlPage(finalUrl, crawl)?.identity
    return identity === page.identity ? undefined : identity
  }

  async #choose(urls: readonly string[], job: Job, plan: CrawlPlan): Promise<readonly CrawlPage[]> {
    const { store, matcher } = this.#deps
    const { id, teamId } = job
    const isAllowed = createDomainFilter(allowedDomainsOf(job))
    const allowed = isAllowed === undefined ? urls : urls.filter((url) => URL.canParse(url) && isAllowed(new URL(url)))
    try {
      const { pages, ms } = await chooseLinks(allowed, plan, { matcher, teamId })
      // Stored with the job: all servers that work on it share the budget, and it survives
      // restarts.
      if (ms >= countedMs && (await addMatchingMs(store.db, id, ms)) > matchingBudgetMs)
        throw matchingBudgetExceeded('crawl')
      return pages
    } catch (error) {
      // Every other page would take as long, so the whole job fails.
      if (isBowlineError(error) && error.code === 'BAD_REQUEST')
        throw new FatalJobError(error.message, { cause: error })
      throw error
    }
  }

  /**
   * Claims the page that a page was redirected to, in the transaction that completes it. Returns
   * `false` if that page has been scraped or is being scraped.
   */
  async claimTarget(db: Kysely<Database>, page: JobPageRow, target: string): Promise<boolean> {
    // The lock on the job serializes claims and additions.
    await findJob(db, page.jobId, { locks: true })
    return claimTarget(db, page, target)
  }

  /** Adds found pages in the transaction that ends the page they were found on. */
  async addPages(db: Kysely<Database>, jobId: string, { pages, depth, limit }: NextPages): Promise<void> {
    if (pages.length === 0) return
    // The lock on the job serializes additions to it.
    const job = await findJob(db, jobId, { locks: true })
    if (job === undefined || job.total >= limit) return
    const known = await findIdentities(
      db,
      jobId,
      pages.map(({ identity }) => identity),
    )
    const newPages = pages.filter(({ identity }) => !known.has(identity)).slice(0, limit - job.total)
    const first = await nextPosition(db, jobId)
    const rows = newPages.map(({ url, identity }, index) => ({
      url,
      identity,
      position: first + index,
      scrapeId: uuidV7(),
    }))
    await insertJobPages(db, jobId, { pages: rows, submissionIndex: 0, depth })
  }
}

/** The hosts that pages of a crawl may have. Undefined: all. */
function allowedDomainsOf({ plan }: Job): readonly string[] | undefined {
  return plan.submissions[0]?.request.allowedDomains
}
