import { setTimeout as sleep } from 'node:timers/promises'
import type { JobQueues } from '../queue/job-queues.ts'
import type { Queue } from '../queue/queue.ts'
import type { Attempt } from '../queue/worker.ts'
import { endJob, findJob } from '../store/jobs.ts'
import { claimJobPages, releaseJobPages, suspectCrashes, type JobPageRow } from '../store/job-pages.ts'
import type { Store } from '../store/store.ts'
import type { JobWebhooks } from './job-webhooks.ts'
import type { JobCounter } from './job-counter.ts'
import { JobFault } from './job-fault.ts'
import type { JobEvents } from './job-events.ts'
import type { PageScraper } from './page-scraper.ts'
import { toJob, type Job } from './plan.ts'

/** A worker's part in a job, as a queue holds it: whoever has one takes pages of the job until there are none left. */
export interface JobShard {
  readonly jobId: string
  /** Of so many parts. */
  readonly shares: number
}

/** What the parts of jobs are done with. */
export interface RunnerDeps {
  readonly store: Store
  readonly queues: JobQueues
  readonly scraper: Pick<PageScraper, 'scrape'>
  /** Pages that this server scrapes at a time. A single job may have all of them. Default: one. */
  readonly maxPages?: number | undefined
  readonly jobWebhooks: JobWebhooks
  readonly counter: Pick<JobCounter, 'count'>
  readonly jobEvents: JobEvents
  readonly onError: (error: unknown, what: string) => void
}

/** Parts of jobs that one server does at a time. Their pages share its places. */
const parallel = 64

/** After so long a part gives way to those of other jobs. */
const sliceMs = 15_000

/** Milliseconds until a part looks again for pages that it could not have. */
const lookAgainMs = 500

/** Least pages that one part has in hand at a time, and that of a job which has one part only. */
const lanes = { shared: 4, whole: 16 } as const

/** Parts of a job: enough for several servers to do it together, and one for every so many pages. */
const mostParts = 16
const pagesPerPart = 8

/** The queue of the parts. Pages answer for the servers that die over them, not their jobs. */
export const jobQueue: Queue<JobShard> = {
  name: 'bulk',
  retryDelaysSeconds: [1, 5, 30],
  expireSeconds: 3600,
  maxCrashes: Infinity,
  prefersIdleServers: true,
}

/** Whether one worker does all pages of a job, those that are added, too: it minds how many run at a time, or finds them as it goes. */
export function isSingleWorker({ plan }: Pick<Job, 'plan'>): boolean {
  return plan.maxConcurrency !== undefined || plan.crawl !== undefined
}

/** Makes the parts of a job, or of what is added to it. */
export function shard(job: Pick<Job, 'id' | 'plan'>, pages: number): readonly JobShard[] {
  const shares = isSingleWorker(job) ? 1 : Math.min(mostParts, Math.ceil(pages / pagesPerPart))
  return Array.from({ length: shares }, () => ({ jobId: job.id, shares }))
}

/** Does parts of jobs on this server, page by page. */
export class Runner {
  readonly #deps: RunnerDeps
  readonly #running = new Map<string, Set<AbortController>>()
  /** The part that works on a page that servers have crashed over, or is about to. */
  #suspectHolder: string | undefined

  private constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  /** Begins to do what is queued. */
  static async open(deps: RunnerDeps): Promise<Runner> {
    const runner = new Runner(deps)
    await deps.queues.work(
      jobQueue,
      { concurrency: parallel, onExhausted: async (part, error) => runner.#giveUp(part, error) },
      async (part, attempt) => runner.#run(part, attempt),
    )
    return runner
  }

  /** Stops what runs of a job on this server. */
  stop(jobId: string): void {
    for (const controller of this.#running.get(jobId) ?? []) controller.abort(new Error('The job was cancelled'))
  }

  async #run(part: JobShard, { jobId: holder, attempt, signal }: Attempt): Promise<void> {
    const { store, queues } = this.#deps
    // Whoever had this part before has died with these pages in hand, or could not give them back to a store that was away.
    await releaseJobPages(store.db, holder, { crashed: attempt > 1 })
    const row = await findJob(store.db, part.jobId)
    if (row?.status !== 'scraping') return
    const stop = new AbortController()
    const running = this.#running.get(row.id) ?? new Set()
    this.#running.set(row.id, running.add(stop))
    try {
      const hasMore = await this.#work(toJob(row), { part, holder }, AbortSignal.any([signal, stop.signal]))
      if (hasMore) await queues.send(jobQueue, part)
    } catch (error) {
      if (error instanceof JobFault) await this.#fail(row.id, error.message)
      else if (!stop.signal.aborted) throw error
    } finally {
      running.delete(stop)
      if (running.size === 0) this.#running.delete(row.id)
    }
  }

  /** Scrapes pages of a job until there is none left or the time is over. Answers whether there may be more. */
  async #work(
    found: Job,
    { part, holder }: { readonly part: JobShard; readonly holder: string },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { store, counter, maxPages = 1 } = this.#deps
    let job = found
    const concurrency = widthOf(job, part, maxPages)
    const endMs = performance.now() + sliceMs
    const running = new Set<Promise<void>>()
    const failures: unknown[] = []
    let hasSuspect = false
    const begin = (page: JobPageRow): void => {
      hasSuspect = isSuspected(page)
      const task: Promise<void> = this.#scrape(job, page, signal)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(task))
      running.add(task)
    }
    try {
      while (failures.length === 0 && !signal.aborted && performance.now() < endMs) {
        // A page that ends while the store is asked may add others, which the answer does not have.
        const isIdle = running.size === 0
        const limit = isIdle ? concurrency : hasSuspect ? 0 : concurrency - running.size
        const pages = limit === 0 ? [] : await this.#claim(job, { holder, limit, isIdle })
        // Pages that were added meanwhile have options of their own.
        if (pages.some((page) => page.round >= job.plan.submissions.length)) job = await this.#reread(job)
        for (const page of pages) begin(page)
        if (running.size > 0) await Promise.race(running)
        else if (isIdle && !(await counter.count(job.id))?.hasFreePages) return false
        else if (isIdle) await sleep(lookAgainMs, undefined, { signal })
      }
    } finally {
      // Also when the store fails: what is under way would be begun again beside itself.
      await Promise.all(running)
      if (this.#suspectHolder === holder) this.#suspectHolder = undefined
      // What has not ended by now is for others. When the store fails, the next one with this part frees them.
      await releaseJobPages(store.db, holder).catch((error: unknown) => void failures.push(error))
    }
    signal.throwIfAborted()
    if (failures.length > 0) throw failures[0]
    await counter.count(job.id)
    return true
  }

  /**
   * Claims pages of a job. Those that servers have crashed over come last and one at a time on this server: a crash counts
   * against every page in hand, and innocent ones would share the fate of the one that causes it.
   */
  async #claim(
    { id }: Job,
    { holder, limit, isIdle }: { readonly holder: string; readonly limit: number; readonly isIdle: boolean },
  ): Promise<readonly JobPageRow[]> {
    const { db } = this.#deps.store
    const pages = await claimJobPages(db, id, { holder, limit })
    if (this.#suspectHolder === holder) this.#suspectHolder = undefined
    if (pages.length > 0 || !isIdle || this.#suspectHolder !== undefined) return pages
    this.#suspectHolder = holder
    const suspects = await claimJobPages(db, id, { holder, limit: 1, areSuspected: true })
    if (suspects.length === 0) this.#suspectHolder = undefined
    return suspects
  }

  async #scrape(job: Job, page: JobPageRow, signal: AbortSignal): Promise<void> {
    const { delay } = job.plan.crawl ?? {}
    await this.#deps.scraper.scrape(job, page, signal)
    if (delay !== undefined) await sleep(delay * 1000, undefined, { signal })
  }

  async #reread(job: Job): Promise<Job> {
    const row = await findJob(this.#deps.store.db, job.id)
    return row === undefined ? job : toJob(row)
  }

  async #giveUp({ jobId }: JobShard, error: unknown): Promise<void> {
    this.#deps.onError(error, `working on the job ${jobId}`)
    await this.#fail(jobId, 'The server could not go on with this job because of an error of its own')
  }

  async #fail(jobId: string, message: string): Promise<void> {
    const { store, jobWebhooks, jobEvents } = this.#deps
    await store.db.transaction().execute(async (db) => {
      if (!(await endJob(db, jobId, { status: 'failed', error: message }))) return
      const row = await findJob(db, jobId)
      if (row !== undefined) await jobWebhooks.ended(db, toJob(row), message)
    })
    this.stop(jobId)
    jobEvents.notify(jobId)
  }
}

function isSuspected({ crashes }: JobPageRow): boolean {
  return crashes >= suspectCrashes
}

/** Pages of a job that one part has in hand at a time. */
function widthOf({ plan: { maxConcurrency, crawl } }: Job, { shares }: JobShard, maxPages: number): number {
  if (crawl?.delay !== undefined) return 1
  return maxConcurrency ?? Math.max(shares === 1 ? lanes.whole : lanes.shared, Math.ceil(maxPages / shares))
}
