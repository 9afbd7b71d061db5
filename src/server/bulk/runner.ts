import { setTimeout as sleep } from 'node:timers/promises'
import type { Jobs } from '../jobs/jobs.ts'
import type { Queue } from '../jobs/queue.ts'
import { endBulkJob, findBulkJob } from '../store/bulk-jobs.ts'
import { listQueuedPages, pieceLength, type BulkPageRow, type BulkShare } from '../store/bulk-pages.ts'
import type { Store } from '../store/store.ts'
import type { Announcer } from './announcer.ts'
import type { News } from './news.ts'
import type { PageScraper } from './page-scraper.ts'
import { toBulkJob, type BulkJob } from './plan.ts'

/** A share of the pages of a job, as a queue holds it. */
export interface BulkPart extends BulkShare {
  readonly jobId: string
}

/** What the shares of jobs are done with. */
export interface RunnerParts {
  readonly store: Store
  readonly jobs: Jobs
  readonly scraper: Pick<PageScraper, 'scrape'>
  readonly announcer: Announcer
  readonly news: News
  readonly onError: (error: unknown, what: string) => void
}

/** Shares of jobs that one server does at a time. Their pages share its places. */
const parallel = 16

/** After so long a share gives way to those of other jobs. */
const sliceMs = 15_000

/** Pages of one share at a time, and of a job that is not shared out. */
const lanes = { shared: 4, whole: 16 } as const

const mostShares = 8

/** The queue of the shares. */
export const bulkQueue: Queue<BulkPart> = { name: 'bulk', retryDelaysSeconds: [1, 5, 30], expireSeconds: 3600 }

/** Whether one worker does all pages of a job, those that are added, too: it minds how many run at a time, or finds them as it goes. */
export const isWhole = ({ plan }: Pick<BulkJob, 'plan'>): boolean =>
  plan.maxConcurrency !== undefined || plan.crawl !== undefined

/** Shares the pages from one place to before another among workers; one gets all that come when it is to do the whole job. */
export const shareOut = (
  job: Pick<BulkJob, 'id' | 'plan'>,
  { from, before }: { readonly from: number; readonly before: number },
): readonly BulkPart[] => {
  if (isWhole(job)) return [{ jobId: job.id, from, shares: 1, share: 0 }]
  const shares = Math.min(mostShares, Math.ceil((before - from) / pieceLength))
  return Array.from({ length: shares }, (_, share) => ({ jobId: job.id, from, before, shares, share }))
}

/** Does the shares of jobs on this server, page by page. */
export class Runner {
  readonly #parts: RunnerParts
  readonly #running = new Map<string, Set<AbortController>>()

  private constructor(parts: RunnerParts) {
    this.#parts = parts
  }

  /** Begins to do what is queued. */
  static async open(parts: RunnerParts): Promise<Runner> {
    const runner = new Runner(parts)
    await parts.jobs.work(
      bulkQueue,
      { concurrency: parallel, onExhausted: async (part, error) => runner.#giveUp(part, error) },
      async (part, { signal }) => runner.#run(part, signal),
    )
    return runner
  }

  /** Stops what runs of a job on this server. */
  stop(jobId: string): void {
    for (const controller of this.#running.get(jobId) ?? []) controller.abort(new Error('The job was cancelled'))
  }

  async #run(part: BulkPart, signal: AbortSignal): Promise<void> {
    const row = await findBulkJob(this.#parts.store.db, part.jobId)
    if (row?.status !== 'scraping') return
    const stop = new AbortController()
    const running = this.#running.get(row.id) ?? new Set()
    this.#running.set(row.id, running.add(stop))
    try {
      const left = await this.#work(toBulkJob(row), part, AbortSignal.any([signal, stop.signal]))
      if (left !== undefined) await this.#parts.jobs.send(bulkQueue, left)
    } catch (error) {
      if (!stop.signal.aborted) throw error
    } finally {
      running.delete(stop)
      if (running.size === 0) this.#running.delete(row.id)
    }
  }

  /** Scrapes the pages of a share, until there is none left or its time is over. Answers what is left to do. */
  async #work(found: BulkJob, part: BulkPart, signal: AbortSignal): Promise<BulkPart | undefined> {
    const { store, scraper } = this.#parts
    let job = found
    const { maxConcurrency, crawl } = job.plan
    const width = maxConcurrency ?? (part.shares === 1 ? lanes.whole : lanes.shared)
    const concurrency = crawl?.delay === undefined ? width : 1
    const endMs = Date.now() + sliceMs
    const running = new Set<Promise<void>>()
    const failures: unknown[] = []
    let { from } = part
    let ready: readonly BulkPageRow[] = []
    try {
      while (failures.length === 0 && !signal.aborted && Date.now() < endMs) {
        // A page that ends while the store is asked may add others, which the answer does not have.
        const isIdle = running.size === 0
        if (ready.length === 0) ready = await listQueuedPages(store.db, job.id, { ...part, from }, pieceLength)
        const [page] = ready
        if (page === undefined && isIdle) return undefined
        if (page === undefined || running.size >= concurrency) {
          if (running.size > 0) await Promise.race(running)
          continue
        }
        // Pages that were added meanwhile have options of their own.
        if (page.round >= job.plan.rounds.length) job = await this.#reread(job)
        ready = ready.slice(1)
        from = page.place + 1
        const task: Promise<void> = scraper
          .scrape(job, page, signal)
          .then(async () => (crawl?.delay === undefined ? undefined : sleep(crawl.delay * 1000, undefined, { signal })))
          .catch((error: unknown) => void failures.push(error))
          .finally(() => running.delete(task))
        running.add(task)
      }
    } finally {
      // Also when the store fails: what is under way would be begun again beside itself.
      await Promise.all(running)
    }
    signal.throwIfAborted()
    if (failures.length > 0) throw failures[0]
    return { ...part, from }
  }

  async #reread(job: BulkJob): Promise<BulkJob> {
    const row = await findBulkJob(this.#parts.store.db, job.id)
    return row === undefined ? job : toBulkJob(row)
  }

  async #giveUp({ jobId }: BulkPart, error: unknown): Promise<void> {
    const { store, announcer, news, onError } = this.#parts
    onError(error, `working on the job ${jobId}`)
    const message = 'The server could not go on with this job because of an error of its own'
    await store.db.transaction().execute(async (db) => {
      if (!(await endBulkJob(db, jobId, { status: 'failed', error: message }))) return
      const row = await findBulkJob(db, jobId)
      if (row !== undefined) await announcer.ended(db, toBulkJob(row), message)
    })
    this.stop(jobId)
    news.tell(jobId)
  }
}
