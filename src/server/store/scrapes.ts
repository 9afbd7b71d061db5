import { sql, type Kysely, type Selectable } from 'kysely'
import { uuidV7 } from '../../kit/ids.ts'
import { toRecord, type Recorded } from './record.ts'
import type { Database, ScrapeTable, TrackedPageTable } from './schema.ts'

/** A page that was scraped. */
export type ScrapeRow = Recorded<Selectable<ScrapeTable>>

/** The last state of a page whose changes are tracked. */
export type TrackedPageRow = Recorded<Selectable<TrackedPageTable>>

/** What one scrape costs, and whom. */
export interface ScrapeBill {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  readonly credits: number
}

/** Writes a scrape and its bill, and settles with its team, in one statement. `row` undefined: nothing is kept of the page. */
export const recordScrape = async (
  db: Kysely<Database>,
  bill: ScrapeBill,
  row: Omit<ScrapeRow, 'id' | 'teamId' | 'createdAt'> | undefined,
): Promise<void> => {
  const { id, teamId, apiKeyId, credits } = bill
  const now = new Date()
  const billed = db.with('billed', (query) =>
    query
      .insertInto('ledger')
      .values({ id: uuidV7(), teamId, apiKeyId, kind: 'scrape', subjectId: id, credits, createdAt: now })
      .returning('id'),
  )
  const kept =
    row === undefined
      ? billed
      : billed.with('kept', (query) =>
          query.insertInto('scrape').values({
            ...row,
            id,
            teamId,
            cacheKey: row.cacheKey ?? null,
            document: row.document ?? null,
            createdAt: now,
          }),
        )
  await kept
    .updateTable('team')
    .set((eb) => ({ credits: eb('credits', '-', credits) }))
    .where('id', '=', teamId)
    // Null stays null; without this every scrape of an unmetered team would rewrite the same row.
    .where('credits', 'is not', null)
    .execute()
}

/** Writes a scrape that is billed elsewhere. */
export const keepScrape = async (
  db: Kysely<Database>,
  { id, teamId }: Pick<ScrapeBill, 'id' | 'teamId'>,
  row: Omit<ScrapeRow, 'id' | 'teamId' | 'createdAt'>,
): Promise<void> => {
  await db
    .insertInto('scrape')
    .values({ ...row, id, teamId, cacheKey: row.cacheKey ?? null, document: row.document ?? null })
    .execute()
}

/** The scrape with that id, or undefined. */
export const findScrape = async (db: Kysely<Database>, id: string): Promise<ScrapeRow | undefined> => {
  const row = await db.selectFrom('scrape').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRecord(row)
}

/** The newest scrape of a team with that cache key, made between the two times. */
export const findCached = async (
  db: Kysely<Database>,
  wanted: { readonly teamId: string; readonly cacheKey: string; readonly from: Date; readonly until: Date },
): Promise<ScrapeRow | undefined> => {
  const row = await db
    .selectFrom('scrape')
    .selectAll()
    .where('teamId', '=', wanted.teamId)
    .where('cacheKey', '=', wanted.cacheKey)
    .where('createdAt', '>=', wanted.from)
    .where('createdAt', '<=', wanted.until)
    .orderBy('createdAt', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row && toRecord(row)
}

/** Deletes the scrapes made before a time, at most a thousand. Answers those that have blobs, and whether there may be more. */
export const deleteOldScrapes = async (
  db: Kysely<Database>,
  before: Date,
): Promise<{ readonly withBlobs: readonly string[]; readonly isDone: boolean }> => {
  const limit = 1000
  const rows = await db
    .deleteFrom('scrape')
    .where('id', 'in', (eb) => eb.selectFrom('scrape').select('id').where('createdAt', '<', before).limit(limit))
    .returning(['id', 'hasBlobs'])
    .execute()
  return { withBlobs: rows.filter(({ hasBlobs }) => hasBlobs).map(({ id }) => id), isDone: rows.length < limit }
}

/** The last state of a tracked page, or undefined. */
export const findTrackedPage = async (
  db: Kysely<Database>,
  teamId: string,
  trackingKey: string,
): Promise<TrackedPageRow | undefined> => {
  const row = await db
    .selectFrom('trackedPage')
    .selectAll()
    .where('teamId', '=', teamId)
    .where('trackingKey', '=', trackingKey)
    .executeTakeFirst()
  return row && toRecord(row)
}

/** Writes the state of a tracked page in place of its last one. */
export const saveTrackedPage = async (db: Kysely<Database>, page: Omit<TrackedPageRow, 'scrapedAt'>): Promise<void> => {
  const state = { markdown: page.markdown, extracted: page.extracted ?? null, scrapedAt: sql<Date>`now()` }
  await db
    .insertInto('trackedPage')
    .values({ teamId: page.teamId, trackingKey: page.trackingKey, ...state })
    .onConflict((conflict) => conflict.columns(['teamId', 'trackingKey']).doUpdateSet(state))
    .execute()
}
