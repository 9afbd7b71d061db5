import { sql, type Kysely } from 'kysely'
import { jobExpiry, findJob, type JobRow } from './jobs.ts'
import type { Database } from './schema.ts'

/** A job, and what is left of it. */
export interface CountedJob {
  readonly job: JobRow
  /** Whether this count was the one that ended it. */
  readonly hasCompleted: boolean
  /** Whether it still runs and has pages that nobody has in hand. */
  readonly hasFreePages: boolean
}

/** Whether pages of a job have ended that it does not count yet. */
export async function hasUncountedPages(db: Kysely<Database>, jobId: string): Promise<boolean> {
  const row = await db
    .selectFrom('jobPage')
    .select('position')
    .where('jobId', '=', jobId)
    .where('isUncounted', '=', true)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Counts the pages of a job that ended since the last count, numbers the completed ones in the order of their ends, and
 * ends the job with its last page. In a transaction; one at a time for each job. Undefined: there is no such job.
 */
export async function countJobPages(db: Kysely<Database>, jobId: string): Promise<CountedJob | undefined> {
  const before = await findJob(db, jobId, { locks: true })
  if (before === undefined) return undefined
  // A statement of its own: it has to see what ended while this one waited for the lock.
  const { rows } = await sql<{ hasFreePages: boolean }>`
    with ended as (
      select position, state, credits, row_number() over (partition by state order by finished_at, position) as number
      from job_page where job_id = ${jobId} and is_uncounted
    ), counted as (
      update job_page
      set is_uncounted = false, seq = case when ended.state = 'completed' then ${before.completed} + ended.number end
      from ended where job_id = ${jobId} and job_page.position = ended.position
    ), sums as (
      select count(*) filter (where state = 'completed') as completed,
        count(*) filter (where state <> 'completed') as failed, coalesce(sum(credits), 0) as credits
      from ended
    ), job as (
      update job set
        completed = job.completed + sums.completed,
        failed = job.failed + sums.failed,
        credits = job.credits + sums.credits
      from sums where id = ${jobId}
    )
    select exists (
      select from job_page where job_id = ${jobId} and state = 'queued' and holder is null) as has_free_pages`.execute(
    db,
  )
  const hasCompleted = await completeJob(db, jobId)
  const job = await findJob(db, jobId)
  return job && { job, hasCompleted, hasFreePages: job.status === 'scraping' && rows[0]?.hasFreePages === true }
}

/** Ends a job all of whose pages have ended. False: it has others, or had ended before. */
async function completeJob(db: Kysely<Database>, jobId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set({ status: 'completed', finishedAt: sql<Date>`now()`, expiresAt: jobExpiry })
    .where('id', '=', jobId)
    .where('status', '=', 'scraping')
    .where((eb) => eb(eb('completed', '+', eb.ref('failed')), '>=', eb.ref('total')))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
