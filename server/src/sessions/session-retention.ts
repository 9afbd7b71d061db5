import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'

/**
 * Deletes sessions that ended before a time, except those with files or recordings. Returns their
 * number, at most `limit`.
 */
export async function deleteOldSessions(db: Kysely<Database>, before: Date, limit: number): Promise<number> {
  // The lateral query reads the index of a team by time, instead of all sessions.
  const { numAffectedRows = 0n } = await sql`
    delete from session using (
      select ended.id from team cross join lateral (
        select id from session
        where team_id = team.id and created_at < ${before}::timestamptz and ended_at < ${before}::timestamptz
          and status <> 'active' and not exists (select from artifact where artifact.session_id = session.id)
        limit ${limit}
      ) ended limit ${limit}
    ) old where session.id = old.id`.execute(db)
  return Number(numAffectedRows)
}
