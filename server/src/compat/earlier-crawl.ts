import { crawlRequest, type CrawlRequest, type EarlierCrawlRequest } from 'bowline/contract/crawl'
import { earlierScrape } from './earlier-scrape.ts'
import { invalidOptions } from './invalid-options.ts'

/** The first version of `crawl`, told in terms of the second. Throws BAD_REQUEST for what breaks a rule of the second. */
export function earlierCrawl({
  maxDepth: _maxDepth,
  ignoreSitemap,
  allowBackwardLinks,
  scrapeOptions,
  webhook,
  ...same
}: EarlierCrawlRequest): CrawlRequest {
  const { url: _url, ...options } = earlierScrape.request({ ...scrapeOptions, url: same.url })
  const result = crawlRequest.safeParse({
    ...same,
    webhook,
    scrapeOptions: options,
    sitemap: ignoreSitemap ? 'skip' : 'include',
    crawlEntireDomain: same.crawlEntireDomain ?? allowBackwardLinks,
  })
  if (result.success) return result.data
  throw invalidOptions(result.error)
}
