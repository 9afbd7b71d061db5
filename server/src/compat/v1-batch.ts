import type { BatchRequest, V1BatchRequest } from 'bowline/contract/batch'
import { v1Scrape } from './v1-scrape.ts'

/** Translates `POST /v1/batch/scrape` to v2. Throws BAD_REQUEST for requests that v2 rejects. */
export function v1Batch({
  urls,
  webhook,
  appendToId,
  maxConcurrency,
  ignoreInvalidURLs,
  ...options
}: V1BatchRequest): BatchRequest {
  // The options are those of a single page, so any URL will do.
  const { url: _url, ...request } = v1Scrape.request({ ...options, url: 'http://example.com/' })
  return { ...request, urls, webhook, appendToId, maxConcurrency, ignoreInvalidURLs }
}
