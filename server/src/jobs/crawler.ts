import type { Kysely } from 'kysely'
import type { Dispatcher } from 'undici'
import { mapRequest } from 'bowline/contract/map'
import { isBowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import { matchingBudgetMs, overBudget, type PatternMatcher } from '../map/match-patterns.ts'
import { mapSite } from '../map/map-site.ts'
import type { ScrapeOutcome } from '../scrape/scrapes.ts'
import { addMatchingMs, findJob } from '../store/jobs.ts'
import { findIdentities, insertJobPages, type JobPageRow } from '../store/job-pages.ts'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { chooseLinks, type CrawlPage } from './choose-links.ts'
import type { CrawlPlan } from './crawl-plan.ts'
import { JobFault } from './job-fault.ts'
import { linksOf } from './page-links.ts'
import type { Job } from './plan.ts'

/** What crawls find pages with. */
export interface CrawlerDeps {
  readonly store: Store
  readonly dispatcher: Dispatcher
  /** Holds the expressions of crawls against addresses. */
  readonly matcher: Pick<PatternMatcher, 'match'>
}

/** Milliseconds for the sitemaps of a site. */
const sitemapMs = 30_000

/** Pages that are to be added to a crawl. */
export interface NextPages {
  readonly pages: readonly CrawlPage[]
  /** Links between them and the start. */
  readonly depth: number
  /** Most pages of the crawl. */
  readonly limit: number
}

/** Milliseconds of matching that are entered with the job. Less is less than what loading the page has taken. */
const countedMs = 10

/** Finds the pages of crawls: those of sitemaps before the first page, those that pages link to as these end. */
export class Crawler {
  readonly #deps: CrawlerDeps

  constructor(deps: CrawlerDeps) {
    this.#deps = deps
  }

  /** Reads the sitemaps of the site before its first page. A site that has none, or none that can be read, has links. */
  async begin(job: Job, page: JobPageRow, signal: AbortSignal): Promise<void> {
    const { crawl } = job.plan
    if (crawl === undefined || page.position !== 0 || crawl.sitemap === 'skip') return
    const { url, limit, allowSubdomains: includeSubdomains, ignoreQueryParameters } = crawl
    const request = mapRequest.safeParse({
      url,
      limit,
      includeSubdomains,
      ignoreQueryParameters,
      filterByPath: !crawl.crawlEntireDomain,
      sitemap: 'only',
      timeout: sitemapMs,
    })
    // A page can be scraped at addresses that no site can be mapped from, such as one with a password.
    if (!request.success) return
    const found = await mapSite(this.#deps.dispatcher, request.data, { signal }).catch(() => undefined)
    signal.throwIfAborted()
    if (found === undefined) return
    const addresses = found.links.map((link) => link.url)
    const pages = await this.#choose(addresses, job, crawl)
    await this.#deps.store.db.transaction().execute(async (db) => this.add(db, job.id, { pages, depth: 1, limit }))
  }

  /** Finds the pages that a page leads to, before the transaction that ends it: nothing waits for slow expressions. */
  async follow(job: Job, page: JobPageRow, { document }: ScrapeOutcome): Promise<NextPages | undefined> {
    const { crawl } = job.plan
    const depth = page.depth + 1
    if (crawl === undefined || crawl.sitemap === 'only' || depth > (crawl.maxDiscoveryDepth ?? Infinity))
      return undefined
    return { pages: await this.#choose(linksOf(document), job, crawl), depth, limit: crawl.limit }
  }

  async #choose(addresses: readonly string[], { id, teamId }: Job, plan: CrawlPlan): Promise<readonly CrawlPage[]> {
    const { store, matcher } = this.#deps
    try {
      const { pages, ms } = await chooseLinks(addresses, plan, { matcher, teamId })
      // Kept with the job: every server that takes part in it adds to the same time, and a restart forgets none of it.
      if (ms >= countedMs && (await addMatchingMs(store.db, id, ms)) > matchingBudgetMs) throw overBudget('crawl')
      return pages
    } catch (error) {
      // Every other page would take as long: the job is given up at once.
      if (isBowlineError(error) && error.code === 'BAD_REQUEST') throw new JobFault(error.message, { cause: error })
      throw error
    }
  }

  /** Enters pages that were found, in the transaction that ends the page they were found on. */
  async add(db: Kysely<Database>, jobId: string, { pages, depth, limit }: NextPages): Promise<void> {
    if (pages.length === 0) return
    // Whoever has the job locked is alone in adding to it.
    const job = await findJob(db, jobId, { locks: true })
    if (job === undefined || job.total >= limit) return
    const known = await findIdentities(
      db,
      jobId,
      pages.map(({ identity }) => identity),
    )
    const fresh = pages.filter(({ identity }) => !known.has(identity)).slice(0, limit - job.total)
    const rows = fresh.map(({ url, identity }, index) => ({
      url,
      identity,
      position: job.total + index,
      scrapeId: uuidV7(),
    }))
    await insertJobPages(db, jobId, { pages: rows, round: 0, depth })
  }
}
