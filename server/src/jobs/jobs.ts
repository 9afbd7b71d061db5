import type { Kysely } from 'kysely'
import type { BulkErrors } from 'bowline/contract/bulk'
import { BowlineError } from 'bowline/kit/errors'
import { sha256 } from 'bowline/kit/sha256'
import { isUuid, uuidV7 } from 'bowline/kit/ids'
import type { TaskQueues } from '../queue/task-queues.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import { endJob, findJob, findJobByKey, insertJob, listActiveJobs, reopenJob, type JobRow } from './job-queries.ts'
import {
  insertJobPages,
  listCompletedPages,
  listFailedPages,
  nextPosition,
  type NewJobPage,
} from './job-page-queries.ts'
import { jobRetentionMs } from '../kit/job-retention.ts'
import { withoutCredentials } from '../kit/without-credentials.ts'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { assertCredits } from '../billing/account.ts'
import type { JobWebhooks } from './job-webhooks.ts'
import type { JobCounter } from './job-counter.ts'
import { explainSinglePage } from './explain-single-page.ts'
import type { JobEvents } from './job-events.ts'
import type { CrawlPlan } from './crawl-plan.ts'
import type { JobPlan, Submission } from './job-plan.ts'
import type { Job } from './plan.ts'
import { readDocuments, type Documents } from './read-documents.ts'
import { turnQueue, isSingleWorker, createTurns, type Runner } from './runner.ts'

export interface JobsDeps {
  readonly store: Store
  readonly queues: TaskQueues
  readonly scrapes: Pick<Scrapes, 'findMany' | 'estimate'>
  readonly runner: Runner
  readonly jobWebhooks: JobWebhooks
  readonly counter: Pick<JobCounter, 'refresh'>
  readonly jobEvents: JobEvents
  readonly onError: (error: unknown, action: string) => void
}

/** A page to add to a job. */
export type JobPage = Omit<NewJobPage, 'position' | 'scrapeId'>

/** A page of a new job. */
export type FirstPage = JobPage & {
  /** Index of the submission with its options. Default: 0. */
  readonly submissionIndex?: number
}

/** A job to start. */
export interface JobStart {
  readonly kind: JobRow['kind']
  readonly version: JobRow['version']
  readonly teamId: string
  readonly apiKeyId: string
  /** URL under which the client reached this server, without trailing slash. */
  readonly baseUrl: string
  readonly plan: JobPlan
  readonly pages: readonly FirstPage[]
  /** A second request with the same key and `requestHash` returns the first job. */
  readonly idempotencyKey?: string | undefined
  readonly requestHash?: string | undefined
  /** Hashes of the same request by earlier versions. */
  readonly formerRequestHashes?: readonly string[] | undefined
}

/** Pages to add to a job. */
export interface JobAddition extends Pick<JobStart, 'formerRequestHashes'> {
  readonly submission: Submission
  readonly pages: readonly JobPage[]
}

/** Identifies a job of a team. */
export interface JobRef {
  readonly id: string
  readonly teamId: string
  /** Default: any. */
  readonly kind?: JobRow['kind'] | undefined
}

/** Batches and crawls: jobs whose pages are scraped once each, by any server with free capacity. */
export class Jobs {
  readonly #deps: JobsDeps

  constructor(deps: JobsDeps) {
    this.#deps = deps
  }

  get jobEvents(): JobEvents {
    return this.#deps.jobEvents
  }

  /**
   * Stores a job with its pages, and resolves once both are committed. Throws
   * IDEMPOTENCY_KEY_REUSED, INSUFFICIENT_CREDITS, or EGRESS_REFUSED for the webhook.
   */
  async start(job: JobStart): Promise<{ readonly id: string }> {
    for (const submission of job.plan.submissions) assertReadable(job.plan, submission)
    await this.#deps.jobWebhooks.assertPermitted(job.plan)
    const { pages, plan, formerRequestHashes: _former, ...fields } = job
    // Whole seconds, so that all responses show the same value.
    const createdAt = new Date()
    const expiresAt = new Date(Math.floor((createdAt.getTime() + jobRetentionMs) / 1000) * 1000)
    const row = {
      ...fields,
      id: uuidV7(),
      // With zeroDataRetention, URLs are not kept either.
      target: plan.submissions.some(({ request }) => request.zeroDataRetention)
        ? ''
        : withoutCredentials(pages[0]?.url ?? ''),
      plan,
      createdAt,
      expiresAt,
    }
    const isNew = await this.#deps.store.db.transaction().execute(async (db) => {
      if (!(await insertJob(db, { ...row, ...keyOf(job) }))) return false
      let total = 0
      for (const [submissionIndex, some] of Map.groupBy(pages, (page) => page.submissionIndex ?? 0)) {
        await this.#add(db, { ...row, plan, total }, some, { submissionIndex, hasWorker: false })
        total += some.length
      }
      await this.#deps.jobWebhooks.started(db, { ...initialState, ...row, ...keyOf(job), plan })
      return true
    })
    if (isNew) return row
    const found = await this.findStarted(job)
    if (found === undefined) throw keyReused()
    return found
  }

  /**
   * Returns the job that an earlier request with the same idempotency key has started. Throws
   * IDEMPOTENCY_KEY_REUSED if that was another request.
   */
  async findStarted({
    teamId,
    idempotencyKey,
    requestHash,
    formerRequestHashes = [],
  }: Pick<JobStart, 'teamId' | 'idempotencyKey' | 'requestHash' | 'formerRequestHashes'>): Promise<JobRow | undefined> {
    if (idempotencyKey === undefined) return undefined
    const found = await findJobByKey(this.#deps.store.db, teamId, idempotencyKey)
    if (found !== undefined && ![requestHash, ...formerRequestHashes].includes(found.requestHash)) throw keyReused()
    return found
  }

  /**
   * Adds pages to a job of the team and resumes it if it was completed; with an idempotency key,
   * only once. Throws JOB_NOT_FOUND, CONFLICT if the job was cancelled or failed, or
   * IDEMPOTENCY_KEY_REUSED.
   */
  async append(
    ref: JobRef,
    { submission, pages, formerRequestHashes = [] }: JobAddition,
  ): Promise<{ readonly id: string }> {
    return this.#deps.store.db.transaction().execute(async (db) => {
      const found = await this.find(ref, { db, locks: true })
      if (hasSubmission(found, submission, formerRequestHashes)) return found
      if (found.status === 'cancelled' || found.status === 'failed') {
        throw new BowlineError('CONFLICT', `The job ${ref.id} is ${found.status}, so no pages can be added to it`)
      }
      assertReadable(found.plan, submission)
      const plan = { ...found.plan, submissions: [...found.plan.submissions, submission] }
      await reopenJob(db, found.id, plan)
      const options = { submissionIndex: plan.submissions.length - 1, hasWorker: found.status === 'scraping' }
      await this.#add(db, { ...found, plan }, pages, options)
      return found
    })
  }

  /** Returns a job of the team. Throws BAD_REQUEST for an invalid id, or JOB_NOT_FOUND. */
  async find(
    { id, teamId, kind }: JobRef,
    { db = this.#deps.store.db, locks = false }: { readonly db?: Kysely<Database>; readonly locks?: boolean } = {},
  ): Promise<Job> {
    if (!isUuid(id)) throw new BowlineError('BAD_REQUEST', 'Invalid job ID format. Job ID must be a valid UUID.')
    const row = await this.#read(db, id, { locks })
    const isMatch = row?.teamId === teamId && (kind === undefined || row.kind === kind)
    const isExpired = row !== undefined && row.status !== 'scraping' && row.expiresAt.getTime() < Date.now()
    if (row === undefined || !isMatch || isExpired) {
      throw new BowlineError('JOB_NOT_FOUND', 'Job not found')
    }
    return row
  }

  /** Reads documents of a job, after the first `skip` pages. */
  async documents(job: Job, range: { readonly skip: number; readonly limit: number }): Promise<Documents> {
    return readDocuments(this.#deps, job, range)
  }

  /**
   * Explains why a completed crawl found only one page. Returns `undefined` if it found more or was
   * limited to one, and for lists of a sitemap.
   */
  async explainSinglePage({ id, status, total, plan: { crawl } }: Job): Promise<string | undefined> {
    if (crawl === undefined || crawl.limit === 1 || crawl.sitemap === 'only' || status !== 'completed' || total !== 1) {
      return undefined
    }
    const { db } = this.#deps.store
    const [page] = await listCompletedPages(db, id, { skip: 0, limit: 1 })
    // All of its links may redirect to it.
    if (page === undefined || (await nextPosition(db, id)) > 1) return undefined
    const document = await (await this.#deps.scrapes.findMany([page.scrapeId])).get(page.scrapeId)?.()
    return document && explainSinglePage(document, crawl)
  }

  /** Lists the failed and blocked pages of a job. Throws like `find`. */
  async errors(ref: JobRef): Promise<BulkErrors> {
    const job = await this.find(ref)
    const pages = await listFailedPages(this.#deps.store.db, job.id)
    const failed = pages.filter(({ state }) => state === 'failed')
    return {
      errors: failed.map(({ scrapeId, finishedAt, url, sourceUrl, errorCode, error = '' }) => ({
        id: scrapeId,
        timestamp: finishedAt?.toISOString(),
        url: sourceUrl ?? url,
        code: errorCode,
        error,
      })),
      robotsBlocked: pages.filter(({ state }) => state === 'blocked').map(({ url, sourceUrl }) => sourceUrl ?? url),
    }
  }

  /**
   * Starts a batch with the failed pages of an ended job, with the same options, headers and
   * webhook. Throws like `find` and `start`, and CONFLICT if the job is running or if no page of it
   * has failed.
   */
  async retry(
    ref: JobRef,
    caller: Pick<JobStart, 'teamId' | 'apiKeyId' | 'version' | 'baseUrl' | 'idempotencyKey'>,
  ): Promise<{ readonly id: string }> {
    const { id, status, plan } = await this.find(ref)
    if (status === 'scraping') {
      throw new BowlineError('CONFLICT', 'The job is still running', { hint: 'Wait for its end, or cancel it.' })
    }
    const failed = (await listFailedPages(this.#deps.store.db, id)).filter(({ state }) => state === 'failed')
    if (failed.length === 0) throw nothingFailed()
    const { crawl, webhook, maxConcurrency } = plan
    const submissions = plan.submissions.map((submission) => toRetry(submission, crawl))
    return this.start({
      ...caller,
      kind: 'batch_scrape',
      requestHash: sha256(`retry ${id}`).toString('hex'),
      plan: { submissions, webhook, maxConcurrency },
      pages: failed.map(({ url, sourceUrl, round: submissionIndex }) => ({ url, sourceUrl, submissionIndex })),
    })
  }

  /**
   * Cancels a job and keeps its scraped pages. Throws like `find`, and CONFLICT if the job has
   * already ended.
   */
  async cancel(ref: JobRef): Promise<void> {
    const job = await this.find(ref)
    const isEnded = await endJob(this.#deps.store.db, job.id, { status: 'cancelled' })
    this.#deps.runner.stop(job.id)
    this.#deps.jobEvents.notify(job.id)
    if (isEnded) return
    const { status } = await this.find(ref)
    const name = job.kind === 'crawl' ? 'Crawl' : 'Batch scrape'
    if (status !== 'cancelled') throw new BowlineError('CONFLICT', `${name} is already ${status}`)
  }

  /** Returns the running jobs of a team, newest first. */
  async active(teamId: string, kind: JobRow['kind']): Promise<readonly Job[]> {
    const { store, onError } = this.#deps
    return listActiveJobs(store.db, teamId, kind, (error) => onError(error, 'listing jobs'))
  }

  /** Reads a job with current counts, or without updating them if it is locked. */
  async #read(db: Kysely<Database>, id: string, options: { readonly locks: boolean }): Promise<JobRow | undefined> {
    const row = await findJob(db, id, options)
    if (row === undefined || options.locks || !(await this.#deps.counter.refresh(id))) return row
    return findJob(db, id)
  }

  async #add(
    db: Kysely<Database>,
    job: Pick<Job, 'id' | 'teamId' | 'plan' | 'total'>,
    pages: JobStart['pages'],
    { submissionIndex, hasWorker }: { readonly submissionIndex: number; readonly hasWorker: boolean },
  ): Promise<void> {
    const { total: from, teamId, plan } = job
    const { request } = plan.submissions[submissionIndex] ?? {}
    const minCredits = request === undefined ? 0 : this.#deps.scrapes.estimate({ ...request, url: pages[0]?.url ?? '' })
    await assertCredits(db, { teamId, credits: pages.length * minCredits })
    const rows = pages.map((page, index) => ({ ...page, position: from + index, scrapeId: uuidV7() }))
    await insertJobPages(db, job.id, { pages: rows, submissionIndex, depth: 0 })
    // The single worker of a running job finds the added pages.
    const turns = hasWorker && isSingleWorker(job) ? [] : createTurns(job, rows.length)
    await this.#deps.queues.sendMany(turnQueue, turns, { db })
  }
}

/**
 * Rejects pages whose documents would be lost: they are not stored and no webhook receives them.
 * Throws BAD_REQUEST.
 */
function assertReadable({ webhook }: Pick<JobPlan, 'webhook'>, { request }: Submission): void {
  if (!request.zeroDataRetention || webhook?.events.includes('page') === true) return
  throw new BowlineError(
    'BAD_REQUEST',
    'A job with zeroDataRetention stores no documents, so it needs a webhook for them',
    {
      hint: 'Set a `webhook` with the event `page` when the job starts, or scrape the pages one by one.',
    },
  )
}

/**
 * Returns whether a job already has this submission, by its idempotency key. Throws
 * IDEMPOTENCY_KEY_REUSED if it has a different one with that key.
 */
function hasSubmission(
  { plan: { submissions } }: Job,
  { idempotencyKey, requestHash }: Submission,
  formerRequestHashes: readonly string[],
): boolean {
  const known = submissions.find((each) => idempotencyKey !== undefined && each.idempotencyKey === idempotencyKey)
  if (known !== undefined && ![requestHash, ...formerRequestHashes].includes(known.requestHash)) throw keyReused()
  return known !== undefined
}

function nothingFailed(): BowlineError {
  return new BowlineError('CONFLICT', 'No page of the job has failed', {
    details: { failed: 0 },
    hint: 'Pages with an HTTP error (status 400 or more) are results. To scrape them again, start a batch with their URLs.',
  })
}

/** Returns the submission of pages that are scraped again. */
function toRetry(submission: Submission, crawl: CrawlPlan | undefined): Submission {
  const { request, showsExtract, hidesLinks, retriedCrawl = crawl } = submission
  return { request, showsExtract, hidesLinks, retriedCrawl }
}

function keyReused(): BowlineError {
  return new BowlineError('IDEMPOTENCY_KEY_REUSED', 'Idempotency key already used', {
    hint: 'The job with this key has other URLs or options. Repeat the request with those of the job, or use another key. Only `maxConcurrency` and `delay` can differ.',
  })
}

function keyOf({ idempotencyKey, requestHash }: JobStart): Pick<JobRow, 'idempotencyKey' | 'requestHash'> {
  return {
    idempotencyKey,
    requestHash,
  }
}

const initialState = {
  status: 'scraping',
  total: 0,
  completed: 0,
  failed: 0,
  credits: 0,
  matchingMs: 0,
  error: undefined,
  warning: undefined,
  finishedAt: undefined,
} as const
