import { randomUUID } from 'node:crypto'
import type { BatchInput } from '../contract/batch.ts'
import type { CrawlInput } from '../contract/crawl.ts'
import { BulkRun, type BulkOptions } from './bulk-run.ts'
import type { Call } from './call.ts'

/** Jobs of many pages. */
export interface Bulk {
  /**
   * Scrapes many pages, such as `seeds()` finds. Await the run for everything, or iterate over it for documents as they come. Pages that fail are
   * among the `errors` of the result. Rejects with a BowlineError, such as BAD_REQUEST or JOB_FAILED.
   */
  readonly batchScrape: (
    urls: Iterable<string> | AsyncIterable<string>,
    options?: BatchInput,
    how?: BulkOptions,
  ) => BulkRun
  /** Scrapes the pages of a site, following its links; otherwise like `batchScrape`. */
  readonly crawl: (url: string, options?: CrawlInput, how?: BulkOptions) => BulkRun
}

/** Milliseconds for a list of up to 10 MB to travel and to be entered. */
const startMs = 120_000

/** Makes the part of a client that has jobs of many pages. */
export function createBulk(call: Call): Bulk {
  return {
    batchScrape: (urls, options = {}, how = {}) => {
      // Once for each run: a repeated request is the same job.
      const idempotencyKey = randomUUID()
      return new BulkRun(
        {
          start: async ({ signal }) => {
            const list = await Array.fromAsync(typeof urls === 'string' ? [urls] : urls)
            signal?.throwIfAborted()
            return call('startBatch', { body: { ...options, urls: list } }, { idempotencyKey, timeoutMs: startMs })
          },
          status: async (id, skip, { signal }) => call('getBatch', { params: { id }, query: { skip } }, { signal }),
          errors: async (id) => call('getBatchErrors', { params: { id } }),
          cancel: async (id) => call('cancelBatch', { params: { id } }),
        },
        how,
      )
    },
    crawl: (url, options = {}, how = {}) => {
      const idempotencyKey = randomUUID()
      return new BulkRun(
        {
          start: async () => call('startCrawl', { body: { ...options, url } }, { idempotencyKey }),
          status: async (id, skip, { signal }) => call('getCrawl', { params: { id }, query: { skip } }, { signal }),
          errors: async (id) => call('getCrawlErrors', { params: { id } }),
          cancel: async (id) => call('cancelCrawl', { params: { id } }),
        },
        how,
      )
    },
  }
}
