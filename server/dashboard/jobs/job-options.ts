import type { RouteInput } from 'bowline/contract/route-types'
import { urlsOf } from '../components/url-fields.tsx'
import { linesOf } from '../playground/formats.ts'
import type { SitemapMode } from '../playground/sitemap-field.tsx'
import { enterScrape, readScrape, type EnteredScrape } from '../playground/scrape-options.ts'

/** Options of a batch or crawl as entered. Empty texts stand for the defaults of the API. */
export interface EnteredJob {
  /** URLs of a batch, separated by white space. */
  readonly urls: string
  /** Start URL of a crawl. */
  readonly url: string
  readonly limit: number
  readonly scrape: EnteredScrape
  readonly maxConcurrency: string
  readonly webhook: string
  readonly skipsInvalid: boolean
  /** Seconds between two pages of a crawl. */
  readonly delay: string
  /** Maximum number of links between the start page and a page. */
  readonly maxDepth: string
  /** One regular expression per line. */
  readonly includePaths: string
  /** One regular expression per line. */
  readonly excludePaths: string
  readonly sitemap: SitemapMode
  readonly isEntireDomain: boolean
  readonly followsSubdomains: boolean
}

/** The defaults of the API. */
export function enterJob(): EnteredJob {
  return {
    urls: '',
    url: '',
    limit: 50,
    scrape: enterScrape(['markdown']),
    maxConcurrency: '',
    webhook: '',
    skipsInvalid: true,
    delay: '',
    maxDepth: '',
    includePaths: '',
    excludePaths: '',
    sitemap: 'include',
    isEntireDomain: false,
    followsSubdomains: false,
  }
}

/** Reads the options of a batch as the API accepts them. */
export function readBatch(entered: EnteredJob): RouteInput<'startBatch'>['body'] {
  return {
    urls: urlsOf(entered.urls),
    ...readScrape(entered.scrape),
    ...readCommon(entered),
    ...(entered.skipsInvalid ? {} : { ignoreInvalidURLs: false }),
  }
}

/** Reads the options of a crawl as the API accepts them. */
export function readCrawl(entered: EnteredJob): RouteInput<'startCrawl'>['body'] {
  const [includePaths, excludePaths] = [linesOf(entered.includePaths), linesOf(entered.excludePaths)]
  return {
    url: entered.url.trim(),
    limit: entered.limit,
    scrapeOptions: readScrape(entered.scrape),
    ...readCommon(entered),
    ...(entered.delay === '' ? {} : { delay: Number(entered.delay) }),
    ...(entered.maxDepth === '' ? {} : { maxDiscoveryDepth: Number(entered.maxDepth) }),
    ...(includePaths.length === 0 ? {} : { includePaths }),
    ...(excludePaths.length === 0 ? {} : { excludePaths }),
    ...(entered.sitemap === 'include' ? {} : { sitemap: entered.sitemap }),
    ...(entered.isEntireDomain ? { crawlEntireDomain: true } : {}),
    ...(entered.followsSubdomains ? { allowSubdomains: true } : {}),
  }
}

function readCommon({ maxConcurrency, webhook }: EnteredJob) {
  return {
    ...(maxConcurrency === '' ? {} : { maxConcurrency: Number(maxConcurrency) }),
    ...(webhook.trim() === '' ? {} : { webhook: webhook.trim() }),
  }
}
