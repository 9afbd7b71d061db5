import { randomUUID } from 'node:crypto'
import type { BatchInput } from '../contract/batch.ts'
import type { StartBulkResponse } from '../contract/bulk.ts'
import type { CrawlInput } from '../contract/crawl.ts'
import { BulkRun, type BulkCalls, type BulkOptions } from './bulk-run.ts'
import { pollRetries, type Call } from './call.ts'

/** Batches and crawls. */
export interface Bulk {
  /**
   * Scrapes many URLs, such as those of `seeds()`, as one job. Await the run for all documents, or
   * iterate over it to get each one early.
   *
   * Pages that fail are in `errors` of the result. Rejects with BAD_REQUEST if no URL is valid, and
   * with JOB_FAILED if the server could not run the job.
   *
   * @example
   * ```ts
   * import { Bowline } from 'bowline'
   *
   * const bowline = new Bowline()
   * const { documents, errors } = await bowline.batchScrape(
   *   ['https://example.com/', 'https://example.com/links'],
   *   { formats: ['markdown'] },
   * )
   * console.log(documents.length, errors)
   * ```
   */
  readonly batchScrape: (
    urls: Iterable<string> | AsyncIterable<string>,
    options?: BatchInput,
    runOptions?: BulkOptions,
  ) => BulkRun
  /**
   * Scrapes a site, starting at `url` and following its links, as one job. Otherwise works like
   * `batchScrape`.
   *
   * @example
   * ```ts
   * import { Bowline } from 'bowline'
   *
   * const bowline = new Bowline()
   * const { documents, creditsUsed } = await bowline.crawl('https://example.com', {
   *   limit: 2,
   *   includePaths: ['/.*'],
   * })
   * console.log(documents.map(({ metadata }) => metadata.sourceURL), creditsUsed)
   * ```
   */
  readonly crawl: (url: string, options?: CrawlInput, runOptions?: BulkOptions) => BulkRun
  /**
   * Scrapes the failed pages of an ended batch or crawl again, as a new batch with the same
   * options. Rejects with CONFLICT if the job is running or no page of it has failed.
   *
   * @example
   * ```ts
   * import { Bowline } from 'bowline'
   *
   * const bowline = new Bowline()
   * const { id, errors } = await bowline.batchScrape(['https://example.com'])
   * if (errors.length > 0) console.log(await bowline.retryFailed(id))
   * ```
   */
  readonly retryFailed: (id: string, runOptions?: BulkOptions) => BulkRun
}

/** Time limit for sending a list of up to 10 MB, in milliseconds. */
const startMs = 120_000

/** Creates `batchScrape` and `crawl` of a client. */
export function createBulk(call: Call): Bulk {
  const batchCalls: Omit<BulkCalls, 'start'> = {
    status: async (id, skip, { signal }) =>
      call('getBatch', { params: { id }, query: { skip } }, { signal, minRetries: pollRetries }),
    errors: async (id) => call('getBatchErrors', { params: { id } }),
    cancel: async (id) => call('cancelBatch', { params: { id } }),
  }
  return {
    batchScrape: (urls, options = {}, runOptions = {}) => {
      // Without a key of the caller one per run, so that a retried request starts no second job.
      const { idempotencyKey = randomUUID() } = runOptions
      return new BulkRun(
        {
          start: async ({ signal }) => {
            const list = await Array.fromAsync(typeof urls === 'string' ? [urls] : urls)
            signal?.throwIfAborted()
            return call('startBatch', { body: { ...options, urls: list } }, { idempotencyKey, timeoutMs: startMs })
          },
          ...batchCalls,
        },
        runOptions,
      )
    },
    crawl: (url, options = {}, runOptions = {}) => {
      const { idempotencyKey = randomUUID() } = runOptions
      return new BulkRun(
        {
          start: async () => call('startCrawl', { body: { ...options, url } }, { idempotencyKey }),
          status: async (id, skip, { signal }) =>
            call('getCrawl', { params: { id }, query: { skip } }, { signal, minRetries: pollRetries }),
          errors: async (id) => call('getCrawlErrors', { params: { id } }),
          cancel: async (id) => call('cancelCrawl', { params: { id } }),
        },
        runOptions,
      )
    },
    retryFailed: (id, runOptions = {}) => {
      const { idempotencyKey = randomUUID() } = runOptions
      const start = async (): Promise<StartBulkResponse> =>
        call('retryBatch', { params: { id } }, { idempotencyKey, timeoutMs: startMs })
      return new BulkRun({ ...batchCalls, start }, runOptions)
    },
  }
}
