import { sql, type Kysely } from 'kysely'
import type { Database } from './schema.ts'

/**
 * Returns the time of the database. What is due, or old enough to be deleted, is compared with it:
 * the clock of one server can be wrong.
 */
export async function databaseTime(db: Kysely<Database>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  return rows[0]?.now ?? new Date()
}
