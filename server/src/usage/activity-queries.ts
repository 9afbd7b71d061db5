import { sql, type Kysely } from 'kysely'
import { escapeLike } from '../kit/escape-like.ts'
import type { Database } from '../store/schema.ts'
import type { ActivityTable } from '../store/tables/accounts.ts'

/** An entry of the activity log. */
export type ActivityRow = ActivityTable

/** An entry with the number of pages of its batch or crawl, `null` if it has started none. */
export interface ListedActivity extends ActivityRow {
  readonly pages: number | null
}

/** Position in the activity log, newest first. */
export interface ActivityPosition {
  readonly createdAt: Date
  readonly id: string
}

/** Selects entries of a team, after a position, at most `limit`. */
export interface ActivityFilter {
  readonly teamId: string
  readonly endpoint?: string | undefined
  /** Start of the id, or part of the target or the error code. */
  readonly search?: string | undefined
  readonly hasFailed?: boolean | undefined
  /** Earliest time, inclusive. */
  readonly since: Date
  /** Latest time, exclusive. */
  readonly until?: Date | undefined
  readonly after?: ActivityPosition | undefined
  readonly limit: number
}

/** Inserts activity entries in one statement. Ignores entries that already exist. */
export async function insertActivities(db: Kysely<Database>, rows: readonly ActivityRow[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('activity')
    .values([...rows])
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Lists activity entries, newest first. */
export async function listActivities(
  db: Kysely<Database>,
  { teamId, endpoint, search, hasFailed, since, until, after, limit }: ActivityFilter,
): Promise<readonly ListedActivity[]> {
  const pages = sql<number | null>`case when endpoint in ('batch_scrape', 'crawl')
    then (select total from job where job.id = activity.id) end`
  let query = db
    .selectFrom('activity')
    .selectAll()
    .select(pages.as('pages'))
    .where('teamId', '=', teamId)
    .where('createdAt', '>=', since)
  if (endpoint !== undefined) query = query.where('endpoint', '=', endpoint)
  if (until !== undefined) query = query.where('createdAt', '<', until)
  if (hasFailed !== undefined) query = query.where('error', hasFailed ? 'is not' : 'is', null)
  if (search !== undefined) {
    const escaped = escapeLike(search)
    query = query.where(sql<boolean>`(id::text ilike ${`${escaped}%`} or target ilike ${`%${escaped}%`}
      or error ilike ${`%${escaped}%`})`)
  }
  if (after !== undefined) {
    query = query.where(sql<boolean>`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`)
  }
  return query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

/** Deletes activity entries from before a time. */
export async function deleteOldActivities(db: Kysely<Database>, before: Date): Promise<void> {
  await db.deleteFrom('activity').where('createdAt', '<', before).execute()
}
