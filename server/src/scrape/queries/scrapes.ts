import { sql, type Kysely, type Selectable } from 'kysely'
import { json, JsonTable, type JsonRow, type OnUnreadable } from '../../store/tables/json-table.ts'
import { toRow, type Row } from '../../store/tables/row.ts'
import type { Database } from '../../store/schema.ts'
import type { ScrapeTable, TrackedPageTable } from '../../store/tables/pages.ts'
import { cachedPageFacts, type CachedPageFacts } from './page-facts.ts'
import { scrapeReplay, type ScrapeReplay } from './scrape-replay.ts'
import { storedExtraction } from './stored-extraction.ts'

const scrapes = new JsonTable('scrape', { pageFacts: json(cachedPageFacts), replay: json(scrapeReplay) })

const trackedColumns = { extracted: json(storedExtraction) }
const trackedPages = new JsonTable('tracked_page', trackedColumns, ['trackingKey'])

/** A scrape without its stored page. */
export type ScrapeRow = Omit<Row<Selectable<ScrapeTable>>, 'page' | 'pageFacts' | 'replay'>

/** Metadata of a stored page. */
export interface StoredPageRow {
  readonly id: string
  readonly createdAt: Date
  readonly pageFacts: CachedPageFacts
}

/** Last known state of a page with change tracking. */
export type TrackedPageRow = JsonRow<Selectable<TrackedPageTable>, typeof trackedColumns>

/** The stored part of a scrape. */
export type StoredScrape = Omit<ScrapeRow, 'id' | 'teamId' | 'createdAt'> & {
  readonly page?: Buffer | undefined
  readonly pageFacts?: CachedPageFacts | undefined
  readonly replay?: ScrapeReplay | undefined
}

/** Columns of a `ScrapeRow`. */
const columns = ['id', 'teamId', 'cacheKey', 'document', 'hasBlobs', 'secret', 'createdAt'] as const

/** A scrape to insert. */
export type NewScrape = StoredScrape & Pick<ScrapeRow, 'id' | 'teamId'>

/** Inserts scrapes with one statement. */
export async function insertScrapes(db: Kysely<Database>, rows: readonly NewScrape[]): Promise<void> {
  if (rows.length === 0) return
  const createdAt = new Date()
  await db
    .insertInto('scrape')
    .values(rows.map(({ id, teamId, ...row }) => ({ ...scrapes.write(row), id, teamId, createdAt })))
    .execute()
}

/** Returns the scrape with this id, or `undefined`. */
export async function findScrape(db: Kysely<Database>, id: string): Promise<ScrapeRow | undefined> {
  const row = await db.selectFrom('scrape').select(columns).where('id', '=', id).executeTakeFirst()
  return row && toRow(row)
}

/** Returns how the page of a scrape was loaded, or `undefined` if that was not stored. */
export async function findReplay(db: Kysely<Database>, id: string): Promise<ScrapeReplay | undefined> {
  const row = await db.selectFrom('scrape').select(['id', 'replay']).where('id', '=', id).executeTakeFirst()
  return row && scrapes.read(row).replay
}

/** Returns the scrapes with these ids, in any order. */
export async function findScrapes(db: Kysely<Database>, ids: readonly string[]): Promise<readonly ScrapeRow[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('scrape').select(columns).where('id', 'in', ids).execute()
  return rows.map(toRow)
}

/** Maximum stored pages that are considered for a request. */
const maxCandidates = 200

/**
 * Lists the stored pages of a team with a cache key between two times, newest first. Leaves out
 * pages that cannot be read.
 */
export async function findStoredPages(
  db: Kysely<Database>,
  wanted: { readonly teamId: string; readonly cacheKey: string; readonly from: Date; readonly until: Date },
  onUnreadable: OnUnreadable,
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
  return scrapes
    .readAll(rows, onUnreadable)
    .flatMap(({ pageFacts, ...row }) => (pageFacts === undefined ? [] : [{ ...row, pageFacts }]))
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

/** Returns the ids without a stored scrape and without a queued page of a job. */
export async function findUnusedScrapeIds(db: Kysely<Database>, ids: readonly string[]): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly id: string }>`
    select id from unnest(${ids}::uuid[]) as unnest (id)
    where not exists (select from scrape where scrape.id = unnest.id)
      and not exists (select from job_page where scrape_id = unnest.id and state = 'queued')`.execute(db)
  return rows.map(({ id }) => id)
}

/** Returns the last known state of a page that was tracked by one of these keys, or `undefined`. */
export async function findTrackedPage(
  db: Kysely<Database>,
  teamId: string,
  trackingKeys: readonly string[],
): Promise<TrackedPageRow | undefined> {
  const row = await db
    .selectFrom('trackedPage')
    .selectAll()
    .where('teamId', '=', teamId)
    .where('trackingKey', 'in', trackingKeys)
    .orderBy('scrapedAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && trackedPages.read(row)
}

/** Saves the state of a tracked page and replaces its previous one. */
export async function saveTrackedPage(db: Kysely<Database>, page: Omit<TrackedPageRow, 'scrapedAt'>): Promise<void> {
  const { extracted = null } = trackedPages.write({ extracted: page.extracted })
  const state = { markdown: page.markdown, extracted, scrapedAt: sql<Date>`now()` }
  await db
    .insertInto('trackedPage')
    .values({ teamId: page.teamId, trackingKey: page.trackingKey, ...state })
    .onConflict((conflict) => conflict.columns(['teamId', 'trackingKey']).doUpdateSet(state))
    .execute()
}

/** Deletes states of tracked pages from before a time. Returns their number, at most `limit`. */
export async function deleteOldTrackedPages(db: Kysely<Database>, before: Date, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from tracked_page using (
      select team_id, tracking_key from tracked_page where scraped_at < ${before}::timestamptz limit ${limit}
    ) old where (tracked_page.team_id, tracked_page.tracking_key) = (old.team_id, old.tracking_key)
      and tracked_page.scraped_at < ${before}::timestamptz`.execute(db)
  return Number(numAffectedRows)
}
