import { checkOptions, type OptionNames } from './check-options.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BulkErrors, BulkStatusResponse, StartBulkResponse } from '../contract/bulk.ts'
import type { Document } from '../contract/document.ts'
import { abortable, type Abortable } from '../kit/abort.ts'
import { BowlineError } from '../kit/errors.ts'

/** How far a job has come. */
export interface BulkProgress {
  readonly id: string
  readonly status: BulkStatusResponse['status']
  readonly completed: number
  readonly total: number
  readonly creditsUsed: number
}

/** Options of a job of many pages. Aborting cancels the job on the server, and rejects with the signal's reason. */
export interface BulkOptions extends Abortable {
  /** Hears of each step. */
  readonly onProgress?: ((progress: BulkProgress) => void) | undefined
}

/** What a job came to. */
export interface BulkResult extends BulkProgress {
  /** In the order they were completed. */
  readonly documents: readonly Document[]
  /** The pages that failed, and why. */
  readonly errors: BulkErrors['errors']
  /** What the service warns of, such as options that kept a crawl from following links. */
  readonly warning?: string | undefined
  /** Pages that robots.txt forbids. */
  readonly robotsBlocked: readonly string[]
  /** What was no address, and left out. */
  readonly invalidUrls: readonly string[]
  /** Until when the server keeps the documents. */
  readonly expiresAt: string
}

/** The calls that a job is made of. */
export interface BulkCalls {
  readonly start: (how: Abortable) => Promise<StartBulkResponse>
  readonly status: (id: string, skip: number, how: Abortable) => Promise<BulkStatusResponse>
  readonly errors: (id: string) => Promise<BulkErrors>
  readonly cancel: (id: string) => Promise<unknown>
}

const bulkNames: OptionNames<BulkOptions> = { signal: true, onProgress: true }

const waitsMs = { first: 200, last: 2000 } as const

/**
 * A job of many pages. Await it for everything, or iterate over the documents as they come: leaving the loop cancels the
 * job. It is started by whichever comes first, and once; nothing is lost by doing both.
 */
export class BulkRun implements PromiseLike<BulkResult>, AsyncIterable<Document> {
  readonly #calls: BulkCalls
  readonly #options: BulkOptions
  #started: Promise<StartBulkResponse> | undefined
  #result: Promise<BulkResult> | undefined

  constructor(calls: BulkCalls, options: BulkOptions) {
    checkOptions('The job', options, bulkNames)
    this.#calls = calls
    this.#options = options
  }

  /** Starts the job if it has not been, and answers its id. */
  async start(): Promise<string> {
    this.#started ??= this.#begin()
    return (await this.#started).id
  }

  /** What is under way to the server is not broken off: a job that nobody knows of would run, and cost. */
  async #begin(): Promise<StartBulkResponse> {
    const { signal } = this.#options
    signal?.throwIfAborted()
    const starting = this.#calls.start(this.#options)
    try {
      return await abortable(starting, signal)
    } catch (error) {
      if (signal?.aborted === true) void starting.then(async ({ id }) => this.#calls.cancel(id)).catch(() => undefined)
      throw error
    }
  }

  /** What was no address, and left out. */
  async invalidUrls(): Promise<readonly string[]> {
    await this.start()
    return (await this.#started)?.invalidURLs ?? []
  }

  /** The pages of the job that have failed so far. */
  async errors(): Promise<BulkErrors> {
    return this.#calls.errors(await this.start())
  }

  /** Cancels the job. What it has scraped stays. */
  async cancel(): Promise<void> {
    await this.#calls.cancel(await this.start())
  }

  // oxlint-disable-next-line unicorn/no-thenable -- to be awaited is what it is for
  then<Kept = BulkResult, Failed = never>(
    onResult?: ((result: BulkResult) => Kept | PromiseLike<Kept>) | null,
    onError?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Kept | Failed> {
    this.#result ??= this.#collect()
    return this.#result.then(onResult, onError)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Document> {
    for await (const { data } of this.#answers()) yield* data
  }

  async #collect(): Promise<BulkResult> {
    const documents: Document[] = []
    let last: BulkStatusResponse | undefined
    for await (const answer of this.#answers()) {
      documents.push(...answer.data)
      last = answer
    }
    const id = await this.start()
    const { errors, robotsBlocked } = await this.#calls.errors(id)
    const invalidUrls = await this.invalidUrls()
    if (last === undefined) throw new BowlineError('RESPONSE_INVALID', `The job ${id} has no status`)
    return {
      ...progressOf(id, last),
      documents,
      errors,
      robotsBlocked,
      invalidUrls,
      expiresAt: last.expiresAt,
      warning: last.warning,
    }
  }

  /** Every answer about the job until it has ended, with the documents that are new in it. */
  async *#answers(): AsyncGenerator<BulkStatusResponse> {
    const id = await this.start()
    let isOver = false
    try {
      let skip = 0
      let waitMs: number = waitsMs.first
      while (!isOver) {
        const answer = await this.#calls.status(id, skip, this.#options)
        const after = answer.next === undefined ? null : new URL(answer.next).searchParams.get('skip')
        // Other services name a next part of every job that was not completed, though there is nothing in it yet.
        const hasMore = after !== null && Number(after) > skip
        isOver = !hasMore && answer.status !== 'scraping'
        // Documents that the server does not keep count, too.
        skip = after === null ? Math.max(answer.completed, skip + answer.data.length) : Number(after)
        if (answer.status === 'failed') throw failed(id, answer.error)
        this.#options.onProgress?.(progressOf(id, answer))
        yield answer
        if (isOver || hasMore) continue
        waitMs = answer.data.length > 0 ? waitsMs.first : Math.min(waitsMs.last, waitMs * 1.5)
        await sleep(waitMs, undefined, { signal: this.#options.signal }).catch(() => undefined)
        this.#options.signal?.throwIfAborted()
      }
    } catch (error) {
      isOver = isOver || (error instanceof BowlineError && error.code === 'JOB_FAILED')
      throw error
    } finally {
      // Whoever has left, or lost sight of it, wants no more of it; the reason they have is what counts.
      if (!isOver) await this.#calls.cancel(id).catch(() => undefined)
    }
  }
}

function progressOf(id: string, { status, completed, total, creditsUsed }: BulkStatusResponse): BulkProgress {
  return {
    id,
    status,
    completed,
    total,
    creditsUsed,
  }
}

function failed(id: string, error: string | undefined): BowlineError {
  return new BowlineError('JOB_FAILED', `The job ${id} failed: ${error ?? 'the server gave no reason'}`, {
    details: { id },
  })
}
