import { randomUUID } from 'node:crypto'
import type { BatchInput } from '../contract/batch.ts'
import type { StartBulkResponse } from '../contract/bulk.ts'
import type { CrawlInput } from '../contract/crawl.ts'
import { BulkRun, type BulkCalls, type BulkOptions } from './bulk-run.ts'
import { pollRetries, type Call, type CallOptions } from './call.ts'
import { checkOptions, type OptionNames } from './check-options.ts'

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
  /**
   * Returns an existing batch or crawl by its id, to await it, to iterate over its documents, or to
   * cancel it. Leaving the loop or aborting does not cancel the job. Its methods reject with
   * JOB_NOT_FOUND if the team has no such job.
   *
   * @example
   * ```ts
   * import { Bowline } from 'bowline'
   *
   * const bowline = new Bowline()
   * const { id } = await bowline.batchScrape(['https://example.com'])
   * const { status, creditsUsed } = await bowline.job(id).details()
   * for await (const { metadata } of bowline.job(id)) console.log(metadata.sourceURL)
   * console.log(status, creditsUsed)
   * ```
   */
  readonly job: (id: string, runOptions?: JobRunOptions) => BulkRun
}

/**
 * Options of `bowline.job()`.
 *
 * @example
 * ```ts
 * import { Bowline, type JobRunOptions } from 'bowline'
 *
 * const bowline = new Bowline()
 * const { id } = await bowline.batchScrape(['https://example.com'])
 * const options: JobRunOptions = {
 *   onProgress: ({ completed, total }) => console.log(`${completed} of ${total}`),
 * }
 * const { documents } = await bowline.job(id, options)
 * console.log(documents.length)
 * ```
 */
export type JobRunOptions = Omit<BulkOptions, 'idempotencyKey'>

const jobNames: OptionNames<JobRunOptions> = { signal: true, onProgress: true }

/** Time limit for sending a list of up to 10 MB, in milliseconds. */
const startMs = 120_000

/** Creates the functions of a client that return batches and crawls. */
export function createBulk(call: Call): Bulk {
  const details: BulkCalls['details'] = async (id, options) => (await call('getJob', { params: { id } }, options)).data
  const batchCalls: Omit<BulkCalls, 'start'> = {
    status: async (id, skip, { signal }) =>
      call('getBatch', { params: { id }, query: { skip } }, { signal, minRetries: pollRetries }),
    errors: async (id) => call('getBatchErrors', { params: { id } }),
    cancel: async (id) => call('cancelBatch', { params: { id } }),
    details,
  }
  const crawlCalls: Omit<BulkCalls, 'start'> = {
    status: async (id, skip, { signal }) =>
      call('getCrawl', { params: { id }, query: { skip } }, { signal, minRetries: pollRetries }),
    errors: async (id) => call('getCrawlErrors', { params: { id } }),
    cancel: async (id) => call('cancelCrawl', { params: { id } }),
    details,
  }
  return {
    batchScrape: (urls, options = {}, runOptions = {}) => {
      const key = keyOf(runOptions)
      const start: BulkCalls['start'] = async ({ signal }) => {
        const list = await Array.fromAsync(typeof urls === 'string' ? [urls] : urls)
        signal?.throwIfAborted()
        return call('startBatch', { body: { ...options, urls: list } }, { ...key, timeoutMs: startMs })
      }
      return new BulkRun({ ...batchCalls, start }, runOptions)
    },
    crawl: (url, options = {}, runOptions = {}) => {
      const key = keyOf(runOptions)
      const start = async (): Promise<StartBulkResponse> => call('startCrawl', { body: { ...options, url } }, key)
      return new BulkRun({ ...crawlCalls, start }, runOptions)
    },
    retryFailed: (id, runOptions = {}) => {
      const key = keyOf(runOptions)
      const start = async (): Promise<StartBulkResponse> =>
        call('retryBatch', { params: { id } }, { ...key, timeoutMs: startMs })
      return new BulkRun({ ...batchCalls, start }, runOptions)
    },
    job: (id, runOptions = {}) => {
      checkOptions('job()', runOptions, jobNames)
      const start = async (): Promise<StartBulkResponse> => ({ success: true, id, url: '' })
      // The routes of crawls accept batches as well.
      return new BulkRun({ ...crawlCalls, start, continues: true }, runOptions)
    },
  }
}

/**
 * Returns the key of a start. Without a key of the caller it is one per run, so that a retried
 * request starts no second job. With one, the start is retried as long as requests for the status.
 */
function keyOf({ idempotencyKey }: BulkOptions): Pick<CallOptions, 'idempotencyKey' | 'minRetries'> {
  return idempotencyKey === undefined ? { idempotencyKey: randomUUID() } : { idempotencyKey, minRetries: pollRetries }
}
