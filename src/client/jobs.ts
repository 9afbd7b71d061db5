import type { JobKind, JobStatusFilter, ListedJob } from '../contract/jobs.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/**
 * Filter and page size of `bowline.jobs()`.
 *
 * @example
 * ```ts
 * import { Bowline, type JobListOptions } from 'bowline'
 *
 * const options: JobListOptions = { kind: 'crawl', search: 'https://example.com', limit: 10 }
 * for await (const { id, status, target } of new Bowline().jobs(options))
 *   console.log(id, status, target)
 * ```
 */
export interface JobListOptions extends Abortable {
  /** Only jobs of this kind. Default: all. */
  readonly kind?: JobKind | undefined
  /** Only jobs with this status. Default: all. */
  readonly status?: JobStatusFilter | undefined
  /**
   * Only jobs whose id or `idempotencyKey` starts with this text, or whose `target` contains it.
   * Default: all.
   */
  readonly search?: string | undefined
  /** Only jobs that were created at this time or later, as ISO 8601. Default: all. */
  readonly from?: string | undefined
  /** Only jobs that were created before this time, as ISO 8601. Default: all. */
  readonly to?: string | undefined
  /** Maximum number of jobs. Default: all. */
  readonly limit?: number | undefined
  /** Jobs fetched per request, 1 to 100. Default: 100. */
  readonly pageSize?: number | undefined
}

/**
 * Lists the batches, crawls, extractions and agents of the team with their status, newest first.
 * Jobs are listed until a day after their end. Pages are fetched as the iteration proceeds.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 *
 * const bowline = new Bowline()
 * for await (const job of bowline.jobs({ status: 'running' })) {
 *   console.log(job.kind, job.target, `${job.completed} of ${job.total}`)
 * }
 * ```
 */
export type ListJobs = (options?: JobListOptions) => AsyncIterable<ListedJob>

/** Creates `bowline.jobs`. */
export function createJobs(call: Call): ListJobs {
  return async function* ({ limit = Infinity, pageSize = 100, ...options } = {}) {
    const { kind, status, search, from, to, ...requestOptions } = options
    let cursor: string | undefined
    let left = limit
    while (left > 0) {
      const query = { kind, status, search, from, to, limit: Math.min(pageSize, left), cursor }
      const page = await call('listJobs', { query }, requestOptions)
      yield* page.data.slice(0, left)
      left -= page.data.length
      cursor = page.cursor
      if (cursor === undefined) return
    }
  }
}
