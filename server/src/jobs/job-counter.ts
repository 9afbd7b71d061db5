import { countJobPages, hasUncountedPages, type CountedJob } from '../store/count-job-pages.ts'
import type { Store } from '../store/store.ts'
import type { JobWebhooks } from './job-webhooks.ts'
import { toJob } from './plan.ts'

/** What pages are counted with. */
export interface JobCounterDeps {
  readonly store: Pick<Store, 'db'>
  readonly jobWebhooks: Pick<JobWebhooks, 'ended'>
}

/** Counts the ended pages of jobs, and ends each job with its last page. Whoever reads a job has it counted first. */
export class JobCounter {
  readonly #deps: JobCounterDeps
  /** The count of each job that is under way, and the one that waits for it. */
  readonly #running = new Map<string, Promise<CountedJob | undefined>>()
  readonly #waiting = new Map<string, Promise<CountedJob | undefined>>()

  constructor(deps: JobCounterDeps) {
    this.#deps = deps
  }

  /** Counts a job if pages of it have ended since the last count. Answers whether any had. */
  async refresh(jobId: string): Promise<boolean> {
    if (!(await hasUncountedPages(this.#deps.store.db, jobId))) return false
    await this.count(jobId)
    return true
  }

  /** Counts a job. Those who ask while it is being counted share the next count. Undefined: there is no such job. */
  async count(jobId: string): Promise<CountedJob | undefined> {
    const waiting = this.#waiting.get(jobId)
    if (waiting !== undefined) return waiting
    const next = this.#countAfter(this.#running.get(jobId), jobId)
    this.#waiting.set(jobId, next)
    return next
  }

  async #countAfter(before: Promise<unknown> | undefined, jobId: string): Promise<CountedJob | undefined> {
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
      if (counted?.hasCompleted === true) await jobWebhooks.ended(db, toJob(counted.job))
      return counted
    })
  }
}
