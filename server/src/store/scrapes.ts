import { sql, type Kysely, type Selectable } from 'kysely'
import { uuidV7 } from 'bowline/kit/ids'
import { toRow, type Row } from './row.ts'
import type { Database } from './schema.ts'
import type { ScrapeTable, TrackedPageTable } from './tables/pages.ts'

/** A scrape without its stored page. */
export type ScrapeRow = Omit<Row<Selectable<ScrapeTable>>, 'page' | 'pageFacts'>

/** Metadata of a stored page. */
export interface StoredPageRow {
  readonly id: string
  readonly createdAt: Date
  /** As JSON. */
  readonly pageFacts: string
}

/** Last known state of a page with change tracking. */
export type TrackedPageRow = Row<Selectable<TrackedPageTable>>

/** Bill of a scrape. */
export interface ScrapeBill {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  readonly credits: number
}

/** The stored part of a scrape. */
export type StoredScrape = Omit<ScrapeRow, 'id' | 'teamId' | 'createdAt'> & {
  readonly page?: Buffer | undefined
  readonly pageFacts?: string | undefined
}

/** Columns of a `ScrapeRow`. */
const columns = ['id', 'teamId', 'cacheKey', 'document', 'hasBlobs', 'secret', 'createdAt'] as const

/**
 * Inserts a scrape and its bill and debits the team, in one statement. Without `row`, the page is
 * not stored. With `holdId`, releases that hold. Returns `false` and changes nothing if the team
 * cannot pay the actual cost.
 */
export async function recordScrape(
  db: Kysely<Database>,
  bill: ScrapeBill,
  row: StoredScrape | undefined,
  holdId?: string,
): Promise<boolean> {
  const { id, teamId, apiKeyId, credits } = bill
  const now = sql`${new Date()}::timestamptz`
  const insertRow = sql`, stored as (
    insert into scrape (id, team_id, cache_key, document, page_facts, page, has_blobs, secret, created_at)
    select ${id}::uuid, ${teamId}::uuid, ${row?.cacheKey ?? null}, ${row?.document ?? null}::bytea,
      ${row?.pageFacts ?? null}, ${row?.page ?? null}::bytea, ${row?.hasBlobs}::boolean, ${row?.secret}, ${now}
    from paid)`
  const { rows } = await sql<{ readonly isHeld: boolean; readonly isPaid: boolean }>`
    with ${holdId === undefined ? payUnconditionally(bill) : payFromHold(bill, holdId)}, billed as (
      insert into ledger (id, team_id, api_key_id, kind, subject_id, credits, created_at)
      select ${uuidV7()}::uuid, ${teamId}::uuid, ${apiKeyId}::uuid, 'scrape', ${id}::uuid, ${credits}::integer, ${now}
      from paid)
    ${row === undefined ? sql`` : insertRow}
    select exists (select from hold) as is_held, exists (select from paid) as is_paid`.execute(db)
  const outcome = rows[0]
  // Another server considered this one dead and released its hold, but the work has been done.
  if (outcome?.isHeld === false) return recordScrape(db, bill, row)
  return outcome?.isPaid === true
}

/** Debits the team even below zero: it had no limits when the work started. */
function payUnconditionally({ teamId, credits }: ScrapeBill) {
  return sql`
  hold as (select 1),
  -- Avoids a pointless update of the same row for every scrape of an unmetered team.
  debited as (update team set credits = credits - ${credits}::bigint where id = ${teamId} and credits is not null),
  paid as (select 1)`
}

/**
 * Debits the team and releases the hold. Any excess over the hold must be covered by unreserved
 * credits.
 */
function payFromHold({ teamId, credits }: ScrapeBill, holdId: string) {
  return sql`
  hold as (select credits from running_work where id = ${holdId} for update),
  paid as (
    update team
    set credits = team.credits - ${credits}::bigint, reserved_credits = team.reserved_credits - hold.credits,
      active_scrapes = team.active_scrapes - 1
    from hold
    where team.id = ${teamId}
      and (team.credits is null or team.credits - team.reserved_credits + hold.credits >= ${credits}::bigint)
    returning team.id),
  released as (delete from running_work where id = ${holdId} and exists (select from paid))`
}

/** Inserts a scrape that is billed elsewhere. */
export async function insertScrape(
  db: Kysely<Database>,
  { id, teamId }: Pick<ScrapeBill, 'id' | 'teamId'>,
  row: StoredScrape,
): Promise<void> {
  await db
    .insertInto('scrape')
    .values({ ...toInsertable(row), id, teamId })
    .execute()
}

/** Converts a scrape to an insertable row. */
export function toInsertable(row: StoredScrape) {
  const { cacheKey = null, document = null, pageFacts = null, page = null, hasBlobs, secret } = row
  return { cacheKey, document, pageFacts, page, hasBlobs, secret }
}

/** Returns the scrape with this id, or `undefined`. */
export async function findScrape(db: Kysely<Database>, id: string): Promise<ScrapeRow | undefined> {
  const row = await db.selectFrom('scrape').select(columns).where('id', '=', id).executeTakeFirst()
  return row && toRow(row)
}

/** Returns the scrapes with these ids, in any order. */
export async function findScrapes(db: Kysely<Database>, ids: readonly string[]): Promise<readonly ScrapeRow[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('scrape').select(columns).where('id', 'in', ids).execute()
  return rows.map(toRow)
}

/** Maximum stored pages that are considered for a request. */
const maxCandidates = 200

/** Lists the stored pages of a team with a cache key between two times, newest first. */
export async function findStoredPages(
  db: Kysely<Database>,
  wanted: { readonly teamId: string; readonly cacheKey: string; readonly from: Date; readonly until: Date },
): Promise<readonly StoredPageRow[]> {
  const rows = await db
    .selectFrom('scrape')
    .select(['id', 'createdAt', 'pageFacts'])
    .where('teamId', '=', wanted.teamId)
    .where('cacheKey', '=', wanted.cacheKey)
    .where('createdAt', '>=', wanted.from)
    .where('createdAt', '<=', wanted.until)
    .where('pageFacts', 'is not', null)
    .orderBy('createdAt', 'desc')
    .limit(maxCandidates)
    .execute()
  return rows.map(({ id, createdAt, pageFacts }) => ({ id, createdAt, pageFacts: pageFacts ?? '' }))
}

/** Returns the packed page of a scrape, or `undefined` if it is not stored in the row. */
export async function readStoredPage(db: Kysely<Database>, id: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('scrape').select('page').where('id', '=', id).executeTakeFirst()
  return row?.page ?? undefined
}

/**
 * Deletes scrapes from before a time, at most 1000, except those of equally old jobs that still
 * exist. Returns the ids of those with blobs, and whether all were deleted.
 */
export async function deleteOldScrapes(
  db: Kysely<Database>,
  before: Date,
): Promise<{ readonly withBlobs: readonly string[]; readonly isDone: boolean }> {
  const limit = 1000
  const rows = await db
    .deleteFrom('scrape')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('scrape')
        .select('id')
        .where('createdAt', '<', before)
        .where((where) =>
          where.not(
            where.exists(
              where
                .selectFrom('jobPage')
                .innerJoin('job', 'job.id', 'jobPage.jobId')
                .select('jobPage.position')
                .where('job.createdAt', '<', before)
                .whereRef('jobPage.scrapeId', '=', 'scrape.id'),
            ),
          ),
        )
        .limit(limit),
    )
    .returning(['id', 'hasBlobs'])
    .execute()
  return { withBlobs: rows.filter(({ hasBlobs }) => hasBlobs).map(({ id }) => id), isDone: rows.length < limit }
}

/** Returns the last known state of a tracked page, or `undefined`. */
export async function findTrackedPage(
  db: Kysely<Database>,
  teamId: string,
  trackingKey: string,
): Promise<TrackedPageRow | undefined> {
  const row = await db
    .selectFrom('trackedPage')
    .selectAll()
    .where('teamId', '=', teamId)
    .where('trackingKey', '=', trackingKey)
    .executeTakeFirst()
  return row && toRow(row)
}

/** Saves the state of a tracked page and replaces its previous one. */
export async function saveTrackedPage(db: Kysely<Database>, page: Omit<TrackedPageRow, 'scrapedAt'>): Promise<void> {
  const state = { markdown: page.markdown, extracted: page.extracted ?? null, scrapedAt: sql<Date>`now()` }
  await db
    .insertInto('trackedPage')
    .values({ teamId: page.teamId, trackingKey: page.trackingKey, ...state })
    .onConflict((conflict) => conflict.columns(['teamId', 'trackingKey']).doUpdateSet(state))
    .execute()
}
