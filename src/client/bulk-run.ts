import { sleep } from '../kit/sleep.ts'
import { checkOptions, type OptionNames } from './check-options.ts'
import type { BulkErrors, BulkStatusResponse, StartBulkResponse } from '../contract/bulk.ts'
import type { Document } from '../contract/document.ts'
import type { JobDetails } from '../contract/jobs.ts'
import { abortable, type Abortable } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'

/**
 * Progress of a batch or crawl.
 *
 * @example
 * ```ts
 * import type { BulkProgress } from 'bowline'
 *
 * function report({ completed, total, failed = 0, creditsUsed }: BulkProgress): void {
 *   console.log(`${completed} of ${total} pages, ${failed} failed, ${creditsUsed} credits`)
 * }
 * ```
 */
export interface BulkProgress {
  readonly id: string
  readonly status: BulkStatusResponse['status']
  /** Pages scraped so far. */
  readonly completed: number
  /** Pages found so far, without failed ones. A crawl's total grows while it runs. */
  readonly total: number
  /** Pages that failed so far. Some services omit it. */
  readonly failed?: number | undefined
  readonly creditsUsed: number
  /** Warning of the server, for example about options that prevent a crawl from following links. */
  readonly warning?: string | undefined
}

/**
 * Options of `batchScrape()` and `crawl()` that concern this client, not the server. Aborting
 * `signal` rejects with the signal's reason, and cancels the job on the server unless it has an
 * `idempotencyKey`.
 *
 * @example
 * ```ts
 * import { Bowline, type BulkOptions } from 'bowline'
 *
 * const bowline = new Bowline()
 * const options: BulkOptions = {
 *   signal: AbortSignal.timeout(120_000),
 *   onProgress: ({ completed, total }) => console.log(`${completed} of ${total}`),
 * }
 * await bowline.batchScrape(['https://example.com'], {}, options)
 * ```
 */
export interface BulkOptions extends Abortable {
  /** Called after each status response of the server. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined
  /**
   * Identifies the job, 1 to 255 printable ASCII characters. A later call with the same key, URLs
   * and options continues with this job, also in another process, instead of starting a second one.
   * Only `cancel()` cancels it: it continues if the caller leaves the loop, throws or is aborted.
   * With other URLs or options it rejects with IDEMPOTENCY_KEY_REUSED. Default: a new key for
   * each call.
   */
  readonly idempotencyKey?: string | undefined
}

/**
 * Result of a finished batch or crawl.
 *
 * @example
 * ```ts
 * import { Bowline, type BulkResult } from 'bowline'
 *
 * const bowline = new Bowline()
 * const { documents, errors, creditsUsed }: BulkResult = await bowline.batchScrape([
 *   'https://example.com',
 * ])
 * for (const { metadata } of documents) console.log(metadata.sourceURL, metadata.statusCode)
 * for (const { url, error } of errors) console.error(url, error)
 * console.log(creditsUsed)
 * ```
 */
export interface BulkResult extends BulkProgress {
  /** Scraped pages in order of completion. */
  readonly documents: readonly Document[]
  /** Pages that failed, with their errors. */
  readonly errors: BulkErrors['errors']
  /** URLs that robots.txt disallows. */
  readonly robotsBlocked: readonly string[]
  /** Strings that are not valid URLs and were skipped. */
  readonly invalidUrls: readonly string[]
  /** ISO 8601 time at which the server deletes the documents. */
  readonly expiresAt: string
}

/** API calls of a batch or crawl. */
export interface BulkCalls {
  readonly start: (options: Abortable) => Promise<StartBulkResponse>
  readonly status: (id: string, skip: number, options: Abortable) => Promise<BulkStatusResponse>
  readonly errors: (id: string) => Promise<BulkErrors>
  readonly cancel: (id: string) => Promise<unknown>
  readonly details: (id: string, options: Abortable) => Promise<JobDetails>
  /** Whether the job continues when the caller stops reading it. Default: with a key only. */
  readonly continues?: boolean
}

const bulkNames: OptionNames<BulkOptions> = { signal: true, onProgress: true, idempotencyKey: true }

/** Throws CONFIG_INVALID for a key that a header cannot contain. */
function checkKey(key: string | undefined): void {
  if (key === undefined || /^[\u0020-\u007E]{1,255}$/.test(key)) return
  throw new BowlineError('CONFIG_INVALID', '`idempotencyKey` must have 1 to 255 printable ASCII characters', {
    hint: 'Pass a name of the job, such as `idempotencyKey: "shop-2026-11-25"`.',
  })
}

const waitsMs = { first: 200, last: 2000 } as const

/**
 * A batch or crawl, returned by `bowline.batchScrape()`, `bowline.crawl()`, `bowline.retryFailed()`
 * and `bowline.job()`.
 *
 * Await it for a `BulkResult`, or iterate over it to get each document as soon as it is scraped.
 * Leaving the loop cancels the job, unless it has an `idempotencyKey` or is from `job()`. The job
 * starts once, on the first await, iteration or call of `start()`, `then()`, `catch()` or
 * `finally()`. Rejects with JOB_FAILED if the server could not run it, or if it was cancelled
 * elsewhere.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * for await (const { metadata } of bowline.crawl('https://example.com', { limit: 2 })) {
 *   console.log(metadata.sourceURL)
 * }
 * ```
 */
export class BulkRun implements PromiseLike<BulkResult>, AsyncIterable<Document> {
  readonly #calls: BulkCalls
  readonly #options: BulkOptions
  #started: Promise<StartBulkResponse> | undefined
  #result: Promise<BulkResult> | undefined
  #isCancelled = false

  constructor(calls: BulkCalls, options: BulkOptions) {
    checkOptions('The job', options, bulkNames)
    checkKey(options.idempotencyKey)
    this.#calls = calls
    this.#options = options
  }

  /** Starts the job if it has not started, and resolves to its id. */
  async start(): Promise<string> {
    this.#started ??= this.#begin()
    return (await this.#started).id
  }

  /** Does not abort the request itself: its job would run and cost credits without a known id. */
  async #begin(): Promise<StartBulkResponse> {
    if (this.#isCancelled && !this.#continues()) {
      throw new BowlineError('ABORTED', 'The job was cancelled before it started')
    }
    const { signal } = this.#options
    signal?.throwIfAborted()
    const starting = this.#calls.start(this.#options)
    try {
      return await abortable(starting, signal)
    } catch (error) {
      // The caller receives the reason of the abort. A job that did not start does not need to be
      // cancelled.
      if (signal?.aborted === true) void starting.then(async ({ id }) => this.#abandon(id)).catch(() => undefined)
      throw error
    }
  }

  /**
   * Starts the job if necessary. Resolves to the strings that are not valid URLs and were skipped.
   */
  async invalidUrls(): Promise<readonly string[]> {
    await this.start()
    return (await this.#started)?.invalidURLs ?? []
  }

  /** Resolves to the pages that have failed so far. Starts the job if necessary. */
  async errors(): Promise<BulkErrors> {
    return this.#calls.errors(await this.start())
  }

  /**
   * Resolves to the status, the counts, the times and the options of the job, without its
   * documents. Starts the job if necessary.
   */
  async details(): Promise<JobDetails> {
    return this.#calls.details(await this.start(), { signal: this.#options.signal })
  }

  /**
   * Cancels the job. Documents that are already scraped remain readable. A job that has not started
   * never starts: awaiting it or iterating over it rejects with ABORTED. With an `idempotencyKey`,
   * the job of an earlier call with the same key is cancelled.
   */
  async cancel(): Promise<void> {
    this.#isCancelled = true
    if (this.#started === undefined && !this.#continues()) return
    await this.#calls.cancel(await this.start())
  }

  // oxlint-disable-next-line unicorn/no-thenable -- awaiting it is its purpose
  then<Kept = BulkResult, Failed = never>(
    onResult?: ((result: BulkResult) => Kept | PromiseLike<Kept>) | null,
    onError?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Kept | Failed> {
    this.#result ??= this.#collect()
    return this.#result.then(onResult, onError)
  }

  /** Handles the rejection of the awaited job, like `catch()` of a promise. */
  async catch<Failed = never>(
    onError?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<BulkResult | Failed> {
    return this.then(undefined, onError)
  }

  /** Calls a function at the end of the awaited job, like `finally()` of a promise. */
  async finally(onEnd?: (() => void) | null): Promise<BulkResult> {
    return this.then((result) => result).finally(onEnd)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Document> {
    for await (const { data } of this.#poll()) yield* data
  }

  async #collect(): Promise<BulkResult> {
    const documents: Document[] = []
    let last: BulkStatusResponse | undefined
    for await (const response of this.#poll()) {
      documents.push(...response.data)
      last = response
    }
    const id = await this.start()
    const { errors, robotsBlocked } = await this.#calls.errors(id)
    const invalidUrls = await this.invalidUrls()
    if (last === undefined) throw new BowlineError('RESPONSE_INVALID', `The server returned no status for job ${id}`)
    return {
      ...progressOf(id, last, (await this.#started)?.warning),
      documents,
      errors,
      robotsBlocked,
      invalidUrls,
      expiresAt: last.expiresAt,
    }
  }

  /**
   * Polls the status until the job has ended. Each response holds the documents that are new since
   * the one before.
   */
  async *#poll(): AsyncGenerator<BulkStatusResponse> {
    const id = await this.start()
    let isOver = false
    try {
      let skip = 0
      let waitMs: number = waitsMs.first
      while (!isOver) {
        const response = await this.#calls.status(id, skip, this.#options)
        const after = response.next === undefined ? null : new URL(response.next).searchParams.get('skip')
        // Some services return `next` for every unfinished job, even if the next page is still
        // empty.
        const hasMore = after !== null && Number(after) > skip
        isOver = !hasMore && response.status !== 'scraping'
        // Documents that the server does not store (`zeroDataRetention`) count as completed but are
        // not in `data`.
        skip = after === null ? Math.max(response.completed, skip + response.data.length) : Number(after)
        this.#options.onProgress?.(progressOf(id, response, (await this.#started)?.warning))
        yield response
        if (isOver && response.status === 'failed') throw failed(id, response.error)
        if (isOver && response.status === 'cancelled' && !this.#isCancelled) throw cancelled(id, response)
        if (isOver || hasMore) continue
        waitMs = response.data.length > 0 ? waitsMs.first : Math.min(waitsMs.last, waitMs * 1.5)
        await sleep(waitMs, this.#options.signal)
      }
    } catch (error) {
      isOver = isOver || (error instanceof BowlineError && error.code === 'JOB_FAILED')
      if (isOver || !isLostConnection(error)) throw error
      isOver = true
      const isCancelled = await this.#abandon(id).catch(() => false)
      throw isCancelled ? error : continuing(id, error, this.#options.idempotencyKey)
    } finally {
      // The caller left the loop or polling failed. Keeps the original error.
      if (!isOver) await this.#abandon(id).catch(() => undefined)
    }
  }

  /**
   * Cancels the job, unless a later call can continue it by its `idempotencyKey` or its id. Returns
   * whether it was cancelled.
   */
  async #abandon(id: string): Promise<boolean> {
    if (this.#continues()) return false
    await this.#calls.cancel(id)
    return true
  }

  /** Whether a later call can continue the job, and an earlier one may have started it. */
  #continues(): boolean {
    return this.#calls.continues ?? this.#options.idempotencyKey !== undefined
  }
}

/** Joins the warnings of the start and of the status. */
function progressOf(
  id: string,
  { status, completed, total, failed, creditsUsed, warning: later }: BulkStatusResponse,
  earlier: string | undefined,
): BulkProgress {
  const warning = [earlier, later].filter((each) => each !== undefined).join(' ')
  return {
    id,
    status,
    completed,
    total,
    ...(failed === undefined ? {} : { failed }),
    creditsUsed,
    ...(warning === '' ? {} : { warning }),
  }
}

function isLostConnection(error: unknown): error is BowlineError {
  return error instanceof BowlineError && error.code === 'CONNECTION_FAILED'
}

/** Adds to an error that the server may still run the job, and how to receive its documents. */
function continuing(id: string, error: BowlineError, key: string | undefined): BowlineError {
  const again = key === undefined ? '' : ', or start it again with the same idempotency key'
  const { requestId, cause } = error
  return new BowlineError(error.code, `${error.message}. The job ${id} may still be running on the server`, {
    hint: `${error.hint ?? ''} Then read the job with \`bowline.job('${id}')\` or \`bowline jobs documents ${id}\`${again}.`.trim(),
    details: { id },
    requestId,
    cause,
  })
}

function failed(id: string, error: string | undefined): BowlineError {
  return new BowlineError('JOB_FAILED', `Job ${id} failed: ${error ?? 'the server gave no reason'}`, {
    details: { id },
  })
}

function cancelled(id: string, { completed, total }: BulkStatusResponse): BowlineError {
  return new BowlineError('JOB_FAILED', `Job ${id} was cancelled after ${completed} of ${total} pages`, {
    details: { id },
    hint: 'Pages that were scraped remain readable. Start another job for the others, with a different `idempotencyKey`.',
  })
}
