import { countJobPages, hasUncountedPages, type CountedJob } from './count-job-pages.ts'
import type { Store } from '../store/store.ts'
import type { JobWebhooks } from './job-webhooks.ts'

/** Dependencies of a `JobCounter`. */
export interface JobCounterDeps {
  readonly store: Pick<Store, 'db'>
  readonly jobWebhooks: Pick<JobWebhooks, 'ended'>
}

/**
 * Updates the page counts of jobs, and completes each job with its last page. Every reader of a job
 * updates its counts first.
 */
export class JobCounter {
  readonly #deps: JobCounterDeps
  /** The running count of each job, and the one queued behind it. */
  readonly #running = new Map<string, Promise<CountedJob | undefined>>()
  readonly #waiting = new Map<string, Promise<CountedJob | undefined>>()

  constructor(deps: JobCounterDeps) {
    this.#deps = deps
  }

  /** Updates the counts if pages have ended since the last count. Returns whether any had. */
  async refresh(jobId: string): Promise<boolean> {
    if (!(await hasUncountedPages(this.#deps.store.db, jobId))) return false
    await this.count(jobId)
    return true
  }

  /**
   * Updates the counts of a job. Concurrent callers share the next count. Returns `undefined` if
   * there is no such job.
   */
  async count(jobId: string): Promise<CountedJob | undefined> {
    const waiting = this.#waiting.get(jobId)
    if (waiting !== undefined) return waiting
    const next = this.#countAfter(this.#running.get(jobId), jobId)
    this.#waiting.set(jobId, next)
    return next
  }

  async #countAfter(before: Promise<unknown> | undefined, jobId: string): Promise<CountedJob | undefined> {
    // Its own callers get the error of the count before.
    await before?.catch(() => undefined)
    const counting = this.#countNow(jobId)
    this.#waiting.delete(jobId)
    this.#running.set(jobId, counting)
    try {
      return await counting
    } finally {
      if (this.#running.get(jobId) === counting) this.#running.delete(jobId)
    }
  }

  async #countNow(jobId: string): Promise<CountedJob | undefined> {
    const { store, jobWebhooks } = this.#deps
    return store.db.transaction().execute(async (db) => {
      const counted = await countJobPages(db, jobId)
      if (counted?.hasCompleted === true) await jobWebhooks.ended(db, counted.job)
      return counted
    })
  }
}
