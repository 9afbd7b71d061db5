import { sql, type Kysely, type Selectable } from 'kysely'
import { toRow, type Row } from '../store/tables/row.ts'
import type { Database } from '../store/schema.ts'
import type { JobPageTable } from '../store/tables/jobs.ts'

/** A page of a batch or a crawl. */
export type JobPageRow = Row<Selectable<JobPageTable>>

/** A page to insert. */
export type NewJobPage = Pick<JobPageRow, 'position' | 'url' | 'scrapeId'> & {
  readonly sourceUrl?: string | undefined
  readonly identity?: string | undefined
}

const rowsPerStatement = 1000

const isOfRunningJob = sql<boolean>`exists (select from job where id = job_page.job_id and status = 'scraping')`

/**
 * Adds pages to a job and to its total. Skips pages whose `identity` the job already has. Returns
 * the number of pages added.
 */
export async function insertJobPages(
  db: Kysely<Database>,
  jobId: string,
  {
    pages,
    submissionIndex,
    depth,
  }: { readonly pages: readonly NewJobPage[]; readonly submissionIndex: number; readonly depth: number },
): Promise<number> {
  let added = 0
  for (let start = 0; start < pages.length; start += rowsPerStatement) {
    const some = pages.slice(start, start + rowsPerStatement)
    const { numAffectedRows = 0n } = await sql`
      insert into job_page (job_id, round, depth, position, url, source_url, identity, scrape_id)
      select ${jobId}::uuid, ${submissionIndex}::smallint, ${depth}::smallint, new.* from unnest(
        ${some.map(({ position }) => position)}::integer[], ${some.map(({ url }) => url)}::text[],
        ${some.map(({ url, sourceUrl }) => (sourceUrl === url ? null : (sourceUrl ?? null)))}::text[],
        ${some.map(({ identity }) => identity ?? null)}::text[], ${some.map(({ scrapeId }) => scrapeId)}::uuid[]) as new
      on conflict (job_id, identity) where identity is not null do nothing`.execute(db)
    added += Number(numAffectedRows)
  }
  await db
    .updateTable('job')
    .set((eb) => ({ total: eb('total', '+', added) }))
    .where('id', '=', jobId)
    .execute()
  return added
}

/** Server crashes after which a page is suspected of causing them. */
export const suspectAfterCrashes = 2

/**
 * Claims free pages of a job, one for each entry of `holders`, ordered by crashes and position:
 * either suspected pages or all others. An entry is the worker that gets the page. Concurrent
 * callers get different pages. Returns none if the job has ended.
 */
export async function claimJobPages(
  db: Kysely<Database>,
  jobId: string,
  { holders, areSuspected = false }: { readonly holders: readonly string[]; readonly areSuspected?: boolean },
): Promise<readonly JobPageRow[]> {
  const rows = await db
    .with('free', (query) =>
      query
        .selectFrom('jobPage')
        .select(['crashes', 'position'])
        .where('jobId', '=', jobId)
        .where('state', '=', 'queued')
        .where('holder', 'is', null)
        .where('crashes', areSuspected ? '>=' : '<', suspectAfterCrashes)
        .where(isOfRunningJob)
        .orderBy('crashes')
        .orderBy('position')
        .limit(holders.length)
        .forUpdate()
        .skipLocked(),
    )
    .with('numbered', (query) =>
      query
        .selectFrom('free')
        .select(['position', sql<number>`row_number() over (order by crashes, position)`.as('number')]),
    )
    .updateTable('jobPage')
    .from('numbered')
    .set({ holder: sql<string>`(${holders}::uuid[])[numbered.number]` })
    .where('jobPage.jobId', '=', jobId)
    .whereRef('jobPage.position', '=', 'numbered.position')
    .returningAll('jobPage')
    .execute()
  return rows.toSorted((left, right) => left.position - right.position).map(toRow)
}

/**
 * Releases the pages claimed by a worker. `crashed`: its server crashed, which is counted for each
 * page.
 */
export async function releaseJobPages(
  db: Kysely<Database>,
  holder: string,
  { crashed = false }: { readonly crashed?: boolean } = {},
): Promise<void> {
  await db
    .updateTable('jobPage')
    .set((eb) => ({ holder: null, ...(crashed && { crashes: eb('crashes', '+', 1) }) }))
    .where('holder', '=', holder)
    .where('state', '=', 'queued')
    .execute()
}

/** How a page failed, or why it was not scraped. */
export interface PageFailure {
  readonly state: 'failed' | 'blocked' | 'duplicate'
  /** Undefined for duplicates, which are not failures. */
  readonly code?: string
  readonly error: string
}

/**
 * Ends a page that failed. Its job counts it later, so that concurrent ends do not wait for a lock
 * on the job. Returns `false` if the page or the job has already ended: the caller must roll the
 * transaction back.
 */
export async function failJobPage(
  db: Kysely<Database>,
  { jobId, position }: Pick<JobPageRow, 'jobId' | 'position'>,
  { state, code: errorCode, error }: PageFailure,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('jobPage')
    .set({
      state,
      errorCode: errorCode ?? null,
      error,
      holder: null,
      isUncounted: true,
      finishedAt: sql<Date>`clock_timestamp()`,
    })
    .where('jobId', '=', jobId)
    .where('position', '=', position)
    .where('state', '=', 'queued')
    .where(isOfRunningJob)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A page that was scraped. */
export type CompletedPage = Pick<JobPageRow, 'jobId' | 'position'> & { readonly credits: number }

/** Ends completed pages with one statement. Returns `false` as `failJobPage` does. */
export async function completeJobPages(db: Kysely<Database>, pages: readonly CompletedPage[]): Promise<boolean> {
  const rows = pages.map(
    ({ jobId, position, credits }) => sql`(${jobId}::uuid, ${position}::integer, ${credits}::integer)`,
  )
  const { numAffectedRows } = await sql`
    update job_page
    set state = 'completed', credits = ended.credits, holder = null, is_uncounted = true,
      finished_at = clock_timestamp()
    from (values ${sql.join(rows)}) as ended (job_id, position, credits)
    where job_page.job_id = ended.job_id and job_page.position = ended.position and job_page.state = 'queued'
      and ${isOfRunningJob}`.execute(db)
  return numAffectedRows === BigInt(pages.length)
}

/** Lists the completed pages of a job in order of completion, after the first `skip`. */
export async function listCompletedPages(
  db: Kysely<Database>,
  jobId: string,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<readonly JobPageRow[]> {
  const rows = await db
    .selectFrom('jobPage')
    .selectAll()
    .where('jobId', '=', jobId)
    .where('seq', '>', skip)
    .orderBy('seq')
    .limit(limit)
    .execute()
  return rows.map(toRow)
}

/** Lists the failed and blocked pages of a job by position, at most 100,000. */
export async function listFailedPages(db: Kysely<Database>, jobId: string): Promise<readonly JobPageRow[]> {
  const rows = await db
    .selectFrom('jobPage')
    .selectAll()
    .where('jobId', '=', jobId)
    .where('state', 'in', ['failed', 'blocked'])
    .orderBy('position')
    .limit(100_000)
    .execute()
  return rows.map(toRow)
}

/** Returns which of the identities pages of a job already have, or were redirected to. */
export async function findIdentities(
  db: Kysely<Database>,
  jobId: string,
  identities: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ identity: string }>`
    select identity from job_page where job_id = ${jobId} and identity = any(${[...identities]}::text[])
    union
    select target_identity from job_page
    where job_id = ${jobId} and target_identity = any(${[...identities]}::text[])`.execute(db)
  return new Set(rows.map(({ identity }) => identity))
}

/** Returns the position of the next page to add to a job: the number of pages that it ever had. */
export async function nextPosition(db: Kysely<Database>, jobId: string): Promise<number> {
  const { last } = await db
    .selectFrom('jobPage')
    .select((eb) => eb.fn.max('position').as('last'))
    .where('jobId', '=', jobId)
    .executeTakeFirstOrThrow()
  return (last ?? -1) + 1
}

/**
 * Claims the page that a page of a job was redirected to. If that is still queued, it ends as a
 * duplicate. Returns `false` if it has been scraped or is being scraped. Call it in the transaction
 * that completes the page, with the job locked.
 */
export async function claimTarget(
  db: Kysely<Database>,
  { jobId, position, url }: Pick<JobPageRow, 'jobId' | 'position' | 'url'>,
  identity: string,
): Promise<boolean> {
  await sql`
    update job_page
    set state = 'duplicate', error = ${`${url} leads to it`}, is_uncounted = true, finished_at = clock_timestamp()
    where job_id = ${jobId} and identity = ${identity} and state = 'queued' and holder is null`.execute(db)
  const { numAffectedRows = 0n } = await sql`
    update job_page set target_identity = ${identity}
    where job_id = ${jobId} and position = ${position} and not exists (
      select from job_page as other where other.job_id = ${jobId} and (
        (other.identity = ${identity} and other.target_identity is null and other.state in ('queued', 'completed'))
        or other.target_identity = ${identity}))`.execute(db)
  return numAffectedRows > 0n
}
