import type { BatchRequest, V1BatchRequest } from 'bowline/contract/batch'
import { v1Scrape } from './v1-scrape.ts'

/** The first version of `batch/scrape`, told in terms of the second. Throws BAD_REQUEST for what breaks a rule of the second. */
export function v1Batch({
  urls,
  webhook,
  appendToId,
  maxConcurrency,
  ignoreInvalidURLs,
  ...options
}: V1BatchRequest): BatchRequest {
  // The rules are those of one page, whichever it is.
  const { url: _url, ...request } = v1Scrape.request({ ...options, url: 'http://example.com/' })
  return { ...request, urls, webhook, appendToId, maxConcurrency, ignoreInvalidURLs }
}
