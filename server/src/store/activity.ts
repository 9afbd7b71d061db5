import { sql, type Kysely } from 'kysely'
import type { Database } from './schema.ts'
import type { ActivityTable } from './tables/accounts.ts'

/** A job of a team. */
export type ActivityRow = ActivityTable

/** A place in the list of jobs: what comes after it is older. */
export interface ActivityPosition {
  readonly createdAt: Date
  readonly id: string
}

/** Which jobs: of one team, not older than `since`, after a place, at most `limit`. */
export interface ActivityFilter {
  readonly teamId: string
  readonly endpoint?: string | undefined
  readonly since: Date
  readonly after?: ActivityPosition | undefined
  readonly limit: number
}

/** Enters jobs, in one statement. A job that is entered already stays as it is. */
export async function insertActivities(db: Kysely<Database>, rows: readonly ActivityRow[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('activity')
    .values([...rows])
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Jobs of a team, newest first. */
export async function listActivities(
  db: Kysely<Database>,
  { teamId, endpoint, since, after, limit }: ActivityFilter,
): Promise<readonly ActivityRow[]> {
  let query = db.selectFrom('activity').selectAll().where('teamId', '=', teamId).where('createdAt', '>=', since)
  if (endpoint !== undefined) query = query.where('endpoint', '=', endpoint)
  if (after !== undefined) {
    query = query.where(sql<boolean>`(created_at, id) < (${after.createdAt}::timestamptz, ${after.id}::uuid)`)
  }
  return query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(limit).execute()
}

/** Deletes the jobs entered before a time. */
export async function deleteOldActivities(db: Kysely<Database>, before: Date): Promise<void> {
  await db.deleteFrom('activity').where('createdAt', '<', before).execute()
}
