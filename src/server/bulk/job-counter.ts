import { countBulkPages, hasUncountedPages, type CountedJob } from '../store/count-bulk-pages.ts'
import type { Store } from '../store/store.ts'
import type { Announcer } from './announcer.ts'
import { toBulkJob } from './plan.ts'

/** What pages are counted with. */
export interface JobCounterParts {
  readonly store: Pick<Store, 'db'>
  readonly announcer: Pick<Announcer, 'ended'>
}

/** Counts the ended pages of jobs, and ends each job with its last page. Whoever reads a job has it counted first. */
export class JobCounter {
  readonly #parts: JobCounterParts

  constructor(parts: JobCounterParts) {
    this.#parts = parts
  }

  /** Counts a job if pages of it have ended since the last count. Answers whether any had. */
  async refresh(jobId: string): Promise<boolean> {
    if (!(await hasUncountedPages(this.#parts.store.db, jobId))) return false
    await this.count(jobId)
    return true
  }

  /** Counts a job. Undefined: there is no such job. */
  async count(jobId: string): Promise<CountedJob | undefined> {
    const { store, announcer } = this.#parts
    return store.db.transaction().execute(async (db) => {
      const counted = await countBulkPages(db, jobId)
      if (counted?.hasCompleted === true) await announcer.ended(db, toBulkJob(counted.job))
      return counted
    })
  }
}
