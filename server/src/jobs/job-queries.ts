import { sql, type Kysely, type Selectable } from 'kysely'
import { jobRetentionMs } from '../kit/job-retention.ts'
import { json, JsonTable, type JsonRow, type OnUnreadable } from '../store/tables/json-table.ts'
import type { Database } from '../store/schema.ts'
import type { JobTable, JobStatus } from '../store/tables/jobs.ts'
import { jobPlan, type JobPlan } from './job-plan.ts'

const columns = { plan: json(jobPlan) }
const jobs = new JsonTable('job', columns)

/** A batch or a crawl. */
export type JobRow = JsonRow<Selectable<JobTable>, typeof columns>

/** A job to insert. */
export type NewJobRow = Pick<
  JobRow,
  'id' | 'teamId' | 'apiKeyId' | 'kind' | 'version' | 'target' | 'plan' | 'baseUrl' | 'idempotencyKey' | 'requestHash'
> & { readonly createdAt: Date; readonly expiresAt: Date }

/** Expiry of a job that ends now, rounded down to seconds. */
export const jobExpiry = sql<Date>`date_trunc('second', now() + make_interval(secs => ${jobRetentionMs / 1000}))`

/**
 * Inserts a job without pages. Returns `false` if the team already has a job with this idempotency
 * key.
 */
export async function insertJob(db: Kysely<Database>, job: NewJobRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await db
    .insertInto('job')
    .values({
      ...jobs.write(job),
      status: 'scraping',
      idempotencyKey: job.idempotencyKey ?? null,
      requestHash: job.requestHash ?? null,
    })
    .onConflict((conflict) => conflict.columns(['teamId', 'idempotencyKey']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/**
 * Returns the job with this id, or `undefined`. `locks` locks its row until the end of the
 * transaction.
 */
export async function findJob(
  db: Kysely<Database>,
  id: string,
  options: { readonly locks?: boolean } = {},
): Promise<JobRow | undefined> {
  const query = db.selectFrom('job').selectAll().where('id', '=', id)
  const row = await (options.locks === true ? query.forUpdate() : query).executeTakeFirst()
  return row && jobs.read(row)
}

/** Returns the job of a team with this idempotency key, or `undefined`. */
export async function findJobByKey(
  db: Kysely<Database>,
  teamId: string,
  idempotencyKey: string,
): Promise<JobRow | undefined> {
  const row = await db
    .selectFrom('job')
    .selectAll()
    .where('teamId', '=', teamId)
    .where('idempotencyKey', '=', idempotencyKey)
    .executeTakeFirst()
  return row && jobs.read(row)
}

/** Replaces the plan of a job and resumes the job if it was complete. */
export async function reopenJob(db: Kysely<Database>, id: string, plan: JobPlan): Promise<void> {
  const reopened = jobs.write({ plan, status: 'scraping', finishedAt: null } as const)
  await db.updateTable('job').set(reopened).where('id', '=', id).execute()
}

/**
 * Adds to the time that a crawl's regular expressions have taken. Returns the total in
 * milliseconds.
 */
export async function addMatchingMs(db: Kysely<Database>, id: string, ms: number): Promise<number> {
  const row = await db
    .updateTable('job')
    .set({ matchingMs: sql<number>`matching_ms + ${Math.ceil(ms)}` })
    .where('id', '=', id)
    .returning('matchingMs')
    .executeTakeFirst()
  return row?.matchingMs ?? 0
}

/** Ends the warning of a job that has more warnings than fit. */
const omission = 'Further warnings were omitted.'

/** Maximum number of characters of a job's warning, without `omission`. */
const maxWarningLength = 2000

/**
 * Adds sentences to the warning of a job, each once. Once a sentence no longer fits, adds
 * "Further warnings were omitted." instead, and nothing after that.
 */
export async function addJobWarnings(db: Kysely<Database>, id: string, sentences: readonly string[]): Promise<void> {
  for (const sentence of sentences) {
    const extended = sql<string>`concat_ws(' ', warning, ${sentence}::text)`
    const ended = sql<string>`concat_ws(' ', warning, ${omission}::text)`
    await db
      .updateTable('job')
      .set({
        warning: sql<string>`case when length(${extended}) <= ${maxWarningLength} then ${extended} else ${ended} end`,
      })
      .where('id', '=', id)
      .where(sql<boolean>`strpos(coalesce(warning, ''), ${sentence}) = 0`)
      .where(sql<boolean>`strpos(coalesce(warning, ''), ${omission}) = 0`)
      .execute()
  }
}

/** Ends a running job. Returns `false` if it has already ended. */
export async function endJob(
  db: Kysely<Database>,
  id: string,
  end: { readonly status: Exclude<JobStatus, 'scraping'>; readonly error?: string | undefined },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('job')
    .set({ status: end.status, error: end.error ?? null, finishedAt: sql<Date>`now()`, expiresAt: jobExpiry })
    .where('id', '=', id)
    .where('status', '=', 'scraping')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Lists the running jobs of a team and kind, newest first, at most 1000. Leaves out jobs that
 * cannot be read.
 */
export async function listActiveJobs(
  db: Kysely<Database>,
  teamId: string,
  kind: JobRow['kind'],
  onUnreadable: OnUnreadable,
): Promise<readonly JobRow[]> {
  const rows = await db
    .selectFrom('job')
    .selectAll()
    .where('teamId', '=', teamId)
    .where('kind', '=', kind)
    .where('status', '=', 'scraping')
    .orderBy('createdAt', 'desc')
    .limit(1000)
    .execute()
  return jobs.readAll(rows, onUnreadable)
}

/** Counts the batches and crawls of all teams that have not ended. */
export async function countRunningJobs(db: Kysely<Database>): Promise<number> {
  const { jobs } = await db
    .selectFrom('job')
    .select(({ fn }) => fn.countAll().as('jobs'))
    .where('status', '=', 'scraping')
    .executeTakeFirstOrThrow()
  return Number(jobs)
}

/** Counts the pages of a team's batches and crawls that have not ended. */
export async function countOpenPages(db: Kysely<Database>, teamId: string): Promise<number> {
  const row = await db
    .selectFrom('job')
    .select(
      sql<string>`coalesce(sum(total - completed - failed
        - (select count(*) from job_page where job_id = job.id and is_uncounted)), 0)`.as('open'),
    )
    .where('teamId', '=', teamId)
    .where('status', '=', 'scraping')
    .executeTakeFirst()
  return Number(row?.open ?? 0)
}

/** Deletes expired jobs with their pages, except running ones. */
export async function deleteExpiredJobs(db: Kysely<Database>): Promise<void> {
  await db
    .deleteFrom('job')
    .where('expiresAt', '<', sql<Date>`now()`)
    .where('status', '<>', 'scraping')
    .execute()
}
