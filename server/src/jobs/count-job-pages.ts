import { sql, type Kysely } from 'kysely'
import { jobExpiry, findJob, type JobRow } from './job-queries.ts'
import type { Database } from '../store/schema.ts'

/** A job after its pages were counted. */
export interface CountedJob {
  readonly job: JobRow
  /** Whether this count completed the job. */
  readonly hasCompleted: boolean
  /** Whether the job is running and has pages that no worker has claimed. */
  readonly hasFreePages: boolean
}

/** Whether a job has ended pages that it has not counted yet. */
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
 * Counts the pages of a job that ended since the last count, numbers completed ones by end time,
 * and completes the job after its last page. Call it in a transaction: it locks the job. Returns
 * `undefined` if the job does not exist.
 */
export async function countJobPages(db: Kysely<Database>, jobId: string): Promise<CountedJob | undefined> {
  const before = await findJob(db, jobId, { locks: true })
  if (before === undefined) return undefined
  // Needs its own statement to see pages that ended while `findJob` waited for the lock.
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
        count(*) filter (where state in ('failed', 'blocked')) as failed,
        count(*) filter (where state = 'duplicate') as duplicates, coalesce(sum(credits), 0) as credits
      from ended
    ), job as (
      update job set
        total = job.total - sums.duplicates,
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

/**
 * Completes a job if all its pages have ended. Returns `false` if not, or if it has already ended.
 */
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
