import type { BatchRequest, EarlierBatchRequest } from 'bowline/contract/batch'
import { earlierScrape } from './earlier-scrape.ts'

/** The first version of `batch/scrape`, told in terms of the second. Throws BAD_REQUEST for what breaks a rule of the second. */
export function earlierBatch({
  urls,
  webhook,
  appendToId,
  maxConcurrency,
  ignoreInvalidURLs,
  ...options
}: EarlierBatchRequest): BatchRequest {
  // The rules are those of one page, whichever it is.
  const { url: _url, ...request } = earlierScrape.request({ ...options, url: 'http://example.com/' })
  return { ...request, urls, webhook, appendToId, maxConcurrency, ignoreInvalidURLs }
}
