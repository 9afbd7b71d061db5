import { sleep } from 'bowline/kit/sleep'
import { mergeSignals } from 'bowline/kit/abort'
import type { TaskQueues } from '../queue/task-queues.ts'
import type { Queue } from '../queue/queue.ts'
import type { Attempt } from '../queue/worker.ts'
import { endJob, findJob } from './job-queries.ts'
import { claimJobPages, releaseJobPages, suspectAfterCrashes, type JobPageRow } from './job-page-queries.ts'
import type { Store } from '../store/store.ts'
import { isUnreadable, orUndefined } from '../store/tables/json-table.ts'
import type { JobWebhooks } from './job-webhooks.ts'
import type { JobCounter } from './job-counter.ts'
import { FatalJobError } from './fatal-job-error.ts'
import type { JobEvents } from './job-events.ts'
import { PageClaims } from './page-claims.ts'
import type { PageScraper } from './page-scraper.ts'
import { crawlRules, hasDelay, type Job } from './plan.ts'

/** A turn at a job, as queued. Its worker claims free pages of the job until none are left. */
export interface JobTurn {
  readonly jobId: string
  /** Number of turns at the job. Stored in queued tasks. */
  readonly shares: number
}

/** Dependencies of a `Runner`. */
export interface RunnerDeps {
  readonly store: Store
  readonly queues: TaskQueues
  readonly scraper: Pick<PageScraper, 'scrape'>
  /**
   * Maximum number of pages that this server scrapes at once, also for a single job. Default: 1.
   */
  readonly serverPages?: number | undefined
  readonly jobWebhooks: JobWebhooks
  readonly counter: Pick<JobCounter, 'count'>
  readonly jobEvents: JobEvents
  readonly onError: (error: unknown, action: string) => void
}

/** Number of turns that one server works on at once. Their pages share its page slots. */
const maxTurnsAtOnce = 64

/** Milliseconds after which a job goes back to the queue, so that other jobs get their turn. */
const sliceMs = 15_000

/** Milliseconds between two attempts to claim pages that other workers hold. */
const pollMs = 500

/** Pages in progress after a claim, relative to the minimum: several pages share a claim. */
const claimAhead = 1.5

/** Minimum number of concurrent pages of a turn, and of the only turn of a job. */
const minConcurrency = { shared: 4, single: 16 } as const

/**
 * Maximum number of turns at a job at a time. Below it, one per `pagesPerTurn` pages.
 */
const maxTurns = 16
const pagesPerTurn = 8

/** The queue of turns. Crashes are counted per page, not per turn. */
export const turnQueue: Queue<JobTurn> = {
  name: 'bulk',
  retryDelaysSeconds: [1, 5, 30],
  expireSeconds: 3600,
  maxCrashes: Infinity,
  prefersIdleServers: true,
}

/**
 * Returns whether one worker scrapes all pages of a job, including later additions. It limits their
 * concurrency, or finds them on the way.
 */
export function isSingleWorker({ plan }: Pick<Job, 'plan'>): boolean {
  return plan.maxConcurrency !== undefined || plan.crawl !== undefined || isOneByOne(plan)
}

/**
 * Whether a job scrapes one page at a time: since it pauses after each, or since its pages save a
 * profile, which only one page at a time can.
 */
function isOneByOne(plan: Job['plan']): boolean {
  const savesProfile = plan.submissions.some(
    ({ request: { profile } }) => profile !== undefined && profile.saveChanges !== false,
  )
  return savesProfile || hasDelay(plan)
}

/** Creates the turns of a job, or of an addition to it. */
export function createTurns(job: Pick<Job, 'id' | 'plan'>, pageCount: number): readonly JobTurn[] {
  const turnCount = isSingleWorker(job) ? 1 : Math.min(maxTurns, Math.ceil(pageCount / pagesPerTurn))
  return Array.from({ length: turnCount }, () => ({ jobId: job.id, shares: turnCount }))
}

/** Works on turns of jobs on this server. */
export class Runner {
  readonly #deps: RunnerDeps
  readonly #claims: PageClaims
  readonly #running = new Map<string, Set<AbortController>>()
  /** The turn that holds, or is about to claim, a page during which servers have crashed. */
  #suspectHolder: string | undefined

  private constructor(deps: RunnerDeps) {
    this.#deps = deps
    this.#claims = new PageClaims(deps.store)
  }

  /** Starts working on queued turns. */
  static async open(deps: RunnerDeps): Promise<Runner> {
    const runner = new Runner(deps)
    await deps.queues.work(
      turnQueue,
      { concurrency: maxTurnsAtOnce, onExhausted: async (item, error) => runner.#giveUp(item, error) },
      async (item, attempt) => runner.#run(item, attempt),
    )
    return runner
  }

  /** Stops all work of this server on a job. */
  stop(jobId: string): void {
    for (const controller of this.#running.get(jobId) ?? []) controller.abort(new Error('The job was cancelled'))
  }

  async #run(item: JobTurn, attempt: Attempt): Promise<void> {
    try {
      await this.#runTurn(item, attempt)
    } catch (error) {
      if (!isUnreadable(error)) throw error
      await this.#giveUp(item, error)
    }
  }

  async #runTurn(item: JobTurn, { taskId: holder, attempt, signal }: Attempt): Promise<void> {
    const { store, queues } = this.#deps
    // A previous worker of this turn has crashed with these pages, or could not release them
    // because the store was unavailable.
    await releaseJobPages(store.db, holder, { crashed: attempt > 1 })
    const row = await findJob(store.db, item.jobId)
    if (row?.status !== 'scraping') return
    const stop = new AbortController()
    const running = this.#running.get(row.id) ?? new Set()
    this.#running.set(row.id, running.add(stop))
    try {
      const hasMore = await this.#work(row, { item, holder }, mergeSignals(signal, stop.signal))
      if (hasMore) await queues.send(turnQueue, item)
    } catch (error) {
      if (error instanceof FatalJobError) await this.#fail(row.id, error.message)
      else if (!stop.signal.aborted) throw error
    } finally {
      running.delete(stop)
      if (running.size === 0) this.#running.delete(row.id)
    }
  }

  /**
   * Scrapes pages of a job until none are left or the time slice is over. Returns whether more
   * pages may be left.
   */
  async #work(
    found: Job,
    { item, holder }: { readonly item: JobTurn; readonly holder: string },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { store, counter, serverPages = 1 } = this.#deps
    let job = found
    const concurrency = concurrencyOf(job, item, serverPages)
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
        // Read before the claim: a page that ends during the claim may add pages that it does not
        // see.
        const isIdle = running.size === 0
        const claimsNow = isIdle || (running.size < concurrency.least && !hasSuspect)
        const limit = claimsNow ? concurrency.most - running.size : 0
        const pages = limit === 0 ? [] : await this.#claim(job, { holder, limit, isIdle })
        // Pages of a later submission have different options.
        if (pages.some((page) => page.round >= job.plan.submissions.length)) job = await this.#reread(job)
        for (const page of pages) begin(page)
        if (running.size > 0) await Promise.race(running)
        else if (isIdle && !(await counter.count(job.id))?.hasFreePages) return false
        else if (isIdle) await sleep(pollMs, signal)
      }
    } finally {
      // Even if the store fails: otherwise pages in progress would be scraped twice at once.
      await Promise.all(running)
      if (this.#suspectHolder === holder) this.#suspectHolder = undefined
      // Unfinished pages go to other workers. If the store fails, the next worker of this turn
      // releases them.
      await releaseJobPages(store.db, holder).catch((error: unknown) => void failures.push(error))
    }
    signal.throwIfAborted()
    if (failures.length > 0) throw failures[0]
    await counter.count(job.id)
    return true
  }

  /**
   * Claims pages of a job. Pages during which servers have crashed come last and one at a time per
   * server, because a crash counts against every page in progress.
   */
  async #claim(
    { id }: Job,
    { holder, limit, isIdle }: { readonly holder: string; readonly limit: number; readonly isIdle: boolean },
  ): Promise<readonly JobPageRow[]> {
    const { db } = this.#deps.store
    const pages = await this.#claims.claim({ jobId: id, holder, limit })
    if (this.#suspectHolder === holder) this.#suspectHolder = undefined
    if (pages.length > 0 || !isIdle || this.#suspectHolder !== undefined) return pages
    this.#suspectHolder = holder
    const suspects = await claimJobPages(db, id, { holders: [holder], areSuspected: true })
    if (suspects.length === 0) this.#suspectHolder = undefined
    return suspects
  }

  async #scrape(job: Job, page: JobPageRow, signal: AbortSignal): Promise<void> {
    const { delay } = crawlRules(job, page) ?? {}
    await this.#deps.scraper.scrape(job, page, signal)
    if (delay !== undefined) await sleep(delay * 1000, signal)
  }

  async #reread(job: Job): Promise<Job> {
    const row = await findJob(this.#deps.store.db, job.id)
    return row ?? job
  }

  async #giveUp({ jobId }: JobTurn, error: unknown): Promise<void> {
    this.#deps.onError(error, `working on the job ${jobId}`)
    await this.#fail(jobId, 'The job failed because of an internal server error')
  }

  async #fail(jobId: string, message: string): Promise<void> {
    const { store, jobWebhooks, jobEvents, onError } = this.#deps
    await store.db.transaction().execute(async (db) => {
      if (!(await endJob(db, jobId, { status: 'failed', error: message }))) return
      // A job that cannot be read ends all the same, but its webhook is unknown.
      const job = await orUndefined(findJob(db, jobId), (error) => onError(error, `ending the job ${jobId}`))
      if (job !== undefined) await jobWebhooks.ended(db, job, message)
    })
    this.stop(jobId)
    jobEvents.notify(jobId)
  }
}

function isSuspected({ crashes }: JobPageRow): boolean {
  return crashes >= suspectAfterCrashes
}

/** Pages of a turn in progress. It claims more when fewer than `least` are, until `most` are. */
interface TurnConcurrency {
  readonly least: number
  readonly most: number
}

/** Returns the number of concurrent pages of a turn. */
function concurrencyOf({ plan }: Job, { shares: turnCount }: JobTurn, serverPages: number): TurnConcurrency {
  const limit = isOneByOne(plan) ? 1 : plan.maxConcurrency
  if (limit !== undefined) return { least: limit, most: limit }
  const least = Math.max(
    turnCount === 1 ? minConcurrency.single : minConcurrency.shared,
    Math.ceil(serverPages / turnCount),
  )
  return { least, most: Math.ceil(least * claimAhead) }
}
