import type { Kysely } from 'kysely'
import type { Dispatcher } from 'undici'
import { mapRequest } from '../../contract/map.ts'
import { isBowlineError } from '../../kit/errors.ts'
import { uuidV7 } from '../../kit/ids.ts'
import type { PatternMatcher } from '../map/match-patterns.ts'
import { mapSite } from '../map/map-site.ts'
import type { ScrapeOutcome } from '../scrape/scrapes.ts'
import { findBulkJob } from '../store/bulk-jobs.ts'
import { findIdentities, insertBulkPages, type BulkPageRow } from '../store/bulk-pages.ts'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { chooseLinks, type CrawlPage } from './choose-links.ts'
import type { CrawlPlan } from './crawl-plan.ts'
import { JobFault } from './job-fault.ts'
import { linksOf } from './page-links.ts'
import type { BulkJob } from './plan.ts'

/** What crawls find pages with. */
export interface CrawlerParts {
  readonly store: Store
  readonly dispatcher: Dispatcher
  /** Holds the expressions of crawls against addresses. */
  readonly matcher: PatternMatcher
}

/** Milliseconds for the sitemaps of a site. */
const sitemapMs = 30_000

/** Finds the pages of crawls: those of sitemaps before the first page, those that pages link to as these end. */
export class Crawler {
  readonly #parts: CrawlerParts

  constructor(parts: CrawlerParts) {
    this.#parts = parts
  }

  /** Reads the sitemaps of the site before its first page. A site that has none, or none that can be read, has links. */
  async begin({ id, plan: { crawl } }: BulkJob, page: BulkPageRow, signal: AbortSignal): Promise<void> {
    if (crawl === undefined || page.place !== 0 || crawl.sitemap === 'skip') return
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
    const found = await mapSite(this.#parts.dispatcher, request.data, { signal }).catch(() => undefined)
    signal.throwIfAborted()
    if (found === undefined) return
    const pages = await this.#choose(
      found.links.map((link) => link.url),
      crawl,
    )
    await this.#parts.store.db.transaction().execute(async (db) => this.#add(db, id, { pages, depth: 1, limit }))
  }

  /** Enters the pages that a page leads to, in the transaction that ends it. */
  readonly follow = async (
    db: Kysely<Database>,
    { id, plan: { crawl } }: BulkJob,
    page: BulkPageRow,
    { document }: ScrapeOutcome,
  ): Promise<void> => {
    const depth = page.depth + 1
    if (crawl === undefined || crawl.sitemap === 'only' || depth > (crawl.maxDiscoveryDepth ?? Infinity)) return
    const pages = await this.#choose(linksOf(document), crawl)
    await this.#add(db, id, { pages, depth, limit: crawl.limit })
  }

  async #choose(addresses: readonly string[], plan: CrawlPlan): Promise<readonly CrawlPage[]> {
    try {
      return await chooseLinks(addresses, plan, this.#parts.matcher)
    } catch (error) {
      // Every other page would take as long: the job is given up at once.
      if (isBowlineError(error) && error.code === 'BAD_REQUEST') throw new JobFault(error.message, { cause: error })
      throw error
    }
  }

  async #add(
    db: Kysely<Database>,
    jobId: string,
    { pages, depth, limit }: { readonly pages: readonly CrawlPage[]; readonly depth: number; readonly limit: number },
  ): Promise<void> {
    if (pages.length === 0) return
    // Whoever has the job locked is alone in adding to it.
    const job = await findBulkJob(db, jobId, { locks: true })
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
      place: job.total + index,
      scrapeId: uuidV7(),
    }))
    await insertBulkPages(db, jobId, { pages: rows, round: 0, depth })
  }
}
