import { crawlRequest, type CrawlRequest, type V1CrawlRequest } from 'bowline/contract/crawl'
import { v1Scrape } from './v1-scrape.ts'
import { invalidOptions } from './invalid-options.ts'

/** Translates `POST /v1/crawl` to v2. Throws BAD_REQUEST for requests that v2 rejects. */
export function v1Crawl({
  maxDepth: _maxDepth,
  ignoreSitemap,
  allowBackwardLinks,
  scrapeOptions,
  webhook,
  ...same
}: V1CrawlRequest): CrawlRequest {
  const { url: _url, ...options } = v1Scrape.request({ ...scrapeOptions, url: same.url })
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
