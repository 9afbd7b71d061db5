import { sql, type Kysely } from 'kysely'
import type { Database } from './schema.ts'

/**
 * Returns the time of the database. It decides what is due or old enough to be deleted, since the
 * clock of a server can be wrong.
 */
export async function databaseTime(db: Kysely<Database>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return rows[0]?.now ?? new Date()
}

/** Returns the time that is some milliseconds before that of the database. */
export async function databaseTimeAgo(db: Kysely<Database>, ms: number): Promise<Date> {
  return new Date((await databaseTime(db)).getTime() - ms)
}
