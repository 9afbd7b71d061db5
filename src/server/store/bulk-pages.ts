import { sql, type Kysely, type Selectable } from 'kysely'
import { bulkExpiry } from './bulk-jobs.ts'
import { toRecord, type Recorded } from './record.ts'
import type { Database } from './schema.ts'
import type { BulkPageTable, BulkStatus } from './tables/bulk.ts'

/** A page of a batch or a crawl. */
export type BulkPageRow = Recorded<Selectable<BulkPageTable>>

/** A page that is to be entered. */
export type NewBulkPage = Pick<BulkPageRow, 'place' | 'url' | 'scrapeId'> & { readonly identity?: string | undefined }

/** Which pages of a job one worker does: from one place to before another, and of each `share` every so manieth. */
export interface BulkShare {
  readonly from: number
  /** Undefined: to the last, whatever is added. */
  readonly before?: number | undefined
  /** Pages are shared out in pieces of `pieceLength` among so many. */
  readonly shares: number
  readonly share: number
}

const rowsAtOnce = 1000

/** Pages that are shared out together. */
export const pieceLength = 50

/** Adds pages to a job, and counts them. Those whose identity the job has are left out. Answers how many were added. */
export const insertBulkPages = async (
  db: Kysely<Database>,
  jobId: string,
  { pages, round, depth }: { readonly pages: readonly NewBulkPage[]; readonly round: number; readonly depth: number },
): Promise<number> => {
  let added = 0
  for (let start = 0; start < pages.length; start += rowsAtOnce) {
    const some = pages.slice(start, start + rowsAtOnce)
    const { numAffectedRows = 0n } = await sql`
      insert into bulk_page (job_id, round, depth, place, url, identity, scrape_id)
      select ${jobId}::uuid, ${round}::smallint, ${depth}::smallint, new.* from unnest(
        ${some.map(({ place }) => place)}::integer[], ${some.map(({ url }) => url)}::text[],
        ${some.map(({ identity }) => identity ?? null)}::text[], ${some.map(({ scrapeId }) => scrapeId)}::uuid[]) as new
      on conflict (job_id, identity) where identity is not null do nothing`.execute(db)
    added += Number(numAffectedRows)
  }
  await db
    .updateTable('bulkJob')
    .set((eb) => ({ total: eb('total', '+', added) }))
    .where('id', '=', jobId)
    .execute()
  return added
}

/** The next pages of a share that are still to be scraped, after a place. Empty, too, when the job does not run any more. */
export const listQueuedPages = async (
  db: Kysely<Database>,
  jobId: string,
  { from, before, shares, share }: BulkShare,
  limit: number,
): Promise<readonly BulkPageRow[]> => {
  let query = db
    .selectFrom('bulkPage')
    .innerJoin('bulkJob', 'bulkJob.id', 'bulkPage.jobId')
    .selectAll('bulkPage')
    .where('bulkPage.jobId', '=', jobId)
    .where('bulkJob.status', '=', 'scraping')
    .where('bulkPage.state', '=', 'queued')
    .where('bulkPage.place', '>=', from)
  if (before !== undefined) query = query.where('bulkPage.place', '<', before)
  if (shares > 1) query = query.where(sql<boolean>`bulk_page.place / ${pieceLength} % ${shares} = ${share}`)
  const rows = await query.orderBy('bulkPage.place').limit(limit).execute()
  return rows.map(toRecord)
}

/** What became of a page. */
export type PageEnd =
  | { readonly state: 'completed'; readonly credits: number }
  | { readonly state: 'failed' | 'blocked'; readonly code: string; readonly error: string }

/**
 * Ends a page and counts it, and the job with its last page. Answers what the job does then; undefined: the page or the
 * job had ended before, and whatever else this transaction did is to be undone.
 */
export const endBulkPage = async (
  db: Kysely<Database>,
  page: Pick<BulkPageRow, 'jobId' | 'place'>,
  end: PageEnd,
): Promise<BulkStatus | undefined> => {
  const isCompleted = end.state === 'completed'
  const { rows } = await sql<{ status: BulkStatus }>`
    with job as (
      update bulk_job set
        completed = completed + ${isCompleted ? 1 : 0},
        failed = failed + ${isCompleted ? 0 : 1},
        credits = credits + ${isCompleted ? end.credits : 0},
        status = case when completed + failed + 1 = total then 'completed' else status end,
        finished_at = case when completed + failed + 1 = total then now() end,
        expires_at = case when completed + failed + 1 = total then ${bulkExpiry} else expires_at end
      where id = ${page.jobId} and status = 'scraping'
      returning id, status, completed
    ), page as (
      update bulk_page set
        state = ${end.state},
        seq = case when ${isCompleted} then job.completed end,
        error_code = ${isCompleted ? null : end.code},
        error = ${isCompleted ? null : end.error},
        finished_at = now()
      from job
      where job_id = job.id and place = ${page.place} and state = 'queued'
      returning job.status
    )
    select status from page`.execute(db)
  return rows[0]?.status
}

/** The completed pages of a job, in the order they were completed, after the first `skip`. */
export const listCompletedPages = async (
  db: Kysely<Database>,
  jobId: string,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<readonly BulkPageRow[]> => {
  const rows = await db
    .selectFrom('bulkPage')
    .selectAll()
    .where('jobId', '=', jobId)
    .where('seq', '>', skip)
    .orderBy('seq')
    .limit(limit)
    .execute()
  return rows.map(toRecord)
}

/** The pages of a job that failed, in its order, at most 100,000. */
export const listFailedPages = async (db: Kysely<Database>, jobId: string): Promise<readonly BulkPageRow[]> => {
  const rows = await db
    .selectFrom('bulkPage')
    .selectAll()
    .where('jobId', '=', jobId)
    .where('state', 'in', ['failed', 'blocked'])
    .orderBy('place')
    .limit(100_000)
    .execute()
  return rows.map(toRecord)
}

/** Those of the identities that pages of a job have. */
export const findIdentities = async (
  db: Kysely<Database>,
  jobId: string,
  identities: readonly string[],
): Promise<ReadonlySet<string>> => {
  const { rows } = await sql<{ identity: string }>`
    select identity from bulk_page where job_id = ${jobId} and identity = any(${[...identities]}::text[])`.execute(db)
  return new Set(rows.map(({ identity }) => identity))
}
