import type { Kysely } from 'kysely'
import type { BulkErrors } from 'bowline/contract/bulk'
import { BowlineError } from 'bowline/kit/errors'
import { isUuid, uuidV7 } from 'bowline/kit/ids'
import type { JobQueues } from '../queue/job-queues.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import { endJob, findJob, findJobByKey, insertJob, listActiveJobs, reopenJob, type JobRow } from '../store/jobs.ts'
import { insertJobPages, listCompletedPages, listFailedPages, type NewJobPage } from '../store/job-pages.ts'
import { jobRetentionMs } from '../store/job-retention.ts'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { assertCredits } from '../usage/assert-credits.ts'
import type { JobWebhooks } from './job-webhooks.ts'
import type { JobCounter } from './job-counter.ts'
import { explainSinglePage } from './explain-single-page.ts'
import type { JobEvents } from './job-events.ts'
import { toJob, type Job, type JobPlan, type Submission } from './plan.ts'
import { readDocuments, type Documents } from './read-documents.ts'
import { jobQueue, isSingleWorker, shard, type Runner } from './runner.ts'

/** What jobs of many pages are made with. */
export interface JobsDeps {
  readonly store: Store
  readonly queues: JobQueues
  readonly scrapes: Pick<Scrapes, 'readMany' | 'estimate'>
  readonly runner: Runner
  readonly jobWebhooks: JobWebhooks
  readonly counter: Pick<JobCounter, 'refresh'>
  readonly jobEvents: JobEvents
}

/** A page to add to a job. */
export type JobPage = Omit<NewJobPage, 'position' | 'scrapeId'>

/** A job to start. */
export interface JobOrder {
  readonly kind: JobRow['kind']
  readonly version: JobRow['version']
  readonly teamId: string
  readonly apiKeyId: string
  /** Address of this server as its client knows it, without trailing slash. */
  readonly baseUrl: string
  readonly plan: JobPlan
  readonly pages: readonly JobPage[]
  /** A second order with the same key and the same `requestHash` is the first one. */
  readonly idempotencyKey?: string | undefined
  readonly requestHash?: string | undefined
}

/** Pages to add to a job. */
export interface JobAddition {
  readonly round: Submission
  readonly pages: readonly JobPage[]
}

/** Whose job is meant. */
export interface JobRef {
  readonly id: string
  readonly teamId: string
  /** Default: any. */
  readonly kind?: JobRow['kind'] | undefined
}

/** Batches and crawls: jobs whose pages are scraped one by one, by whichever server has time, each once. */
export class Jobs {
  readonly #parts: JobsDeps

  constructor(parts: JobsDeps) {
    this.#parts = parts
  }

  get jobEvents(): JobEvents {
    return this.#parts.jobEvents
  }

  /** Enters a job and its pages, and answers once they are safe. Throws IDEMPOTENCY_KEY_REUSED, INSUFFICIENT_CREDITS. */
  async start(order: JobOrder): Promise<{ readonly id: string }> {
    for (const round of order.plan.submissions) assertReadable(order.plan, round)
    const { pages, plan, ...facts } = order
    // Whole seconds: a caller compares what the answers say.
    const createdAt = new Date()
    const expiresAt = new Date(Math.floor((createdAt.getTime() + jobRetentionMs) / 1000) * 1000)
    const row = {
      ...facts,
      id: uuidV7(),
      target: pages[0]?.url ?? '',
      plan: JSON.stringify(plan),
      createdAt,
      expiresAt,
    }
    const isNew = await this.#parts.store.db.transaction().execute(async (db) => {
      if (!(await insertJob(db, { ...row, ...keyOf(order) }))) return false
      await this.#add(db, { ...row, plan, total: 0 }, pages, { round: 0, hasWorker: false })
      await this.#parts.jobWebhooks.started(db, { ...empty, ...row, ...keyOf(order), plan })
      return true
    })
    return isNew ? row : this.#earlier(order)
  }

  /**
   * Adds pages to a job of the team, which goes on if it was complete; with an idempotency key, once. Throws
   * JOB_NOT_FOUND, CONFLICT when it was cancelled or failed, IDEMPOTENCY_KEY_REUSED.
   */
  async append(ref: JobRef, { round, pages }: JobAddition): Promise<{ readonly id: string }> {
    return this.#parts.store.db.transaction().execute(async (db) => {
      const found = await this.find(ref, { db, locks: true })
      if (isAdded(found, round)) return found
      if (found.status === 'cancelled' || found.status === 'failed') {
        throw new BowlineError('CONFLICT', `The job ${ref.id} was ${found.status}: nothing can be added to it`)
      }
      assertReadable(found.plan, round)
      const plan = { ...found.plan, submissions: [...found.plan.submissions, round] }
      await reopenJob(db, found.id, JSON.stringify(plan))
      const order = { round: plan.submissions.length - 1, hasWorker: found.status === 'scraping' }
      await this.#add(db, { ...found, plan }, pages, order)
      return found
    })
  }

  /** A job of the team. Throws BAD_REQUEST for what is no id, JOB_NOT_FOUND. */
  async find(
    { id, teamId, kind }: JobRef,
    { db = this.#parts.store.db, locks = false }: { readonly db?: Kysely<Database>; readonly locks?: boolean } = {},
  ): Promise<Job> {
    if (!isUuid(id)) throw new BowlineError('BAD_REQUEST', 'Invalid job ID format. Job ID must be a valid UUID.')
    const row = await this.#read(db, id, { locks })
    const isKnown = row?.teamId === teamId && (kind === undefined || row.kind === kind)
    const isOver = row !== undefined && row.status !== 'scraping' && row.expiresAt.getTime() < Date.now()
    if (row === undefined || !isKnown || isOver) {
      throw new BowlineError('JOB_NOT_FOUND', 'Job not found')
    }
    return toJob(row)
  }

  /** Documents of a job, after the first `skip`. */
  async documents(job: Job, range: { readonly skip: number; readonly limit: number }): Promise<Documents> {
    return readDocuments(this.#parts, job, range)
  }

  /** Why a crawl that is complete found one page only. Undefined: it found more, or there is no more to find. */
  async explainSinglePage({ id, status, total, plan: { crawl } }: Job): Promise<string | undefined> {
    if (crawl === undefined || crawl.limit === 1 || crawl.sitemap === 'only' || status !== 'completed' || total !== 1) {
      return undefined
    }
    const [page] = await listCompletedPages(this.#parts.store.db, id, { skip: 0, limit: 1 })
    if (page === undefined) return undefined
    const document = (await this.#parts.scrapes.readMany([page.scrapeId])).get(page.scrapeId)
    return document && explainSinglePage(document, crawl)
  }

  /** What failed of a job. Throws as `find` does. */
  async errors(ref: JobRef): Promise<BulkErrors> {
    const job = await this.find(ref)
    const pages = await listFailedPages(this.#parts.store.db, job.id)
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

  /** Cancels a job: what it has scraped stays. Throws as `find` does, and CONFLICT when it has ended otherwise. */
  async cancel(ref: JobRef): Promise<void> {
    const job = await this.find(ref)
    const isEnded = await endJob(this.#parts.store.db, job.id, { status: 'cancelled' })
    this.#parts.runner.stop(job.id)
    this.#parts.jobEvents.notify(job.id)
    if (isEnded) return
    const { status } = await this.find(ref)
    const name = job.kind === 'crawl' ? 'Crawl' : 'Batch scrape'
    if (status !== 'cancelled') throw new BowlineError('CONFLICT', `${name} is already ${status}`)
  }

  /** The jobs of a team that still run, newest first. */
  async active(teamId: string, kind: JobRow['kind']): Promise<readonly Job[]> {
    return (await listActiveJobs(this.#parts.store.db, teamId, kind)).map(toJob)
  }

  /** A job that counts what ended of it, unless it is to be locked: its caller wants no numbers. */
  async #read(db: Kysely<Database>, id: string, options: { readonly locks: boolean }): Promise<JobRow | undefined> {
    const row = await findJob(db, id, options)
    if (row === undefined || options.locks || !(await this.#parts.counter.refresh(id))) return row
    return findJob(db, id)
  }

  async #add(
    db: Kysely<Database>,
    job: Pick<Job, 'id' | 'teamId' | 'plan' | 'total'>,
    pages: JobOrder['pages'],
    { round, hasWorker }: { readonly round: number; readonly hasWorker: boolean },
  ): Promise<void> {
    const { total: from, teamId, plan } = job
    const { request } = plan.submissions[round] ?? {}
    const least = request === undefined ? 0 : this.#parts.scrapes.estimate({ ...request, url: pages[0]?.url ?? '' })
    await assertCredits(db, teamId, pages.length * least)
    const rows = pages.map((page, index) => ({ ...page, position: from + index, scrapeId: uuidV7() }))
    await insertJobPages(db, job.id, { pages: rows, round, depth: 0 })
    // The one worker of a job that is under way looks for more once it has done what it knows of.
    const parts = hasWorker && isSingleWorker(job) ? [] : shard(job, rows.length)
    await this.#parts.queues.sendMany(jobQueue, parts, { db })
  }

  async #earlier({ teamId, idempotencyKey = '', requestHash }: JobOrder): Promise<JobRow> {
    const found = await findJobByKey(this.#parts.store.db, teamId, idempotencyKey)
    if (found !== undefined && found.requestHash === requestHash) return found
    throw reused()
  }
}

/** Refuses pages whose documents nobody would get: they are not kept, and no webhook hears of them. Throws BAD_REQUEST. */
function assertReadable({ webhook }: Pick<JobPlan, 'webhook'>, { request }: Submission): void {
  if (!request.zeroDataRetention || webhook?.events.includes('page') === true) return
  throw new BowlineError('BAD_REQUEST', 'zeroDataRetention keeps no documents of a job, so they need a webhook', {
    hint: 'Name a `webhook` for the event `page`, or scrape the pages one by one.',
  })
}

/** Whether a job has this addition by its idempotency key. Throws IDEMPOTENCY_KEY_REUSED when it has another by that. */
function isAdded({ plan: { submissions } }: Job, { idempotencyKey, requestHash }: Submission): boolean {
  const known = submissions.find((each) => idempotencyKey !== undefined && each.idempotencyKey === idempotencyKey)
  if (known !== undefined && known.requestHash !== requestHash) throw reused()
  return known !== undefined
}

function reused(): BowlineError {
  return new BowlineError('IDEMPOTENCY_KEY_REUSED', 'Idempotency key already used')
}

function keyOf({ idempotencyKey, requestHash }: JobOrder): Pick<JobRow, 'idempotencyKey' | 'requestHash'> {
  return {
    idempotencyKey,
    requestHash,
  }
}

const empty = {
  status: 'scraping',
  total: 0,
  completed: 0,
  failed: 0,
  credits: 0,
  matchingMs: 0,
  error: undefined,
  finishedAt: undefined,
} as const
