import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'

const key = 'retention-started-at'

/**
 * Claims a periodic run, which only one of the servers on a database makes per interval. Returns
 * `false` if another run was claimed in the interval, by the database's clock.
 */
export async function claimRun(db: Kysely<Database>, intervalMs: number): Promise<boolean> {
  // Timers are not exact: without a margin, every second run of a single server would be refused.
  const seconds = (intervalMs / 1000) * 0.9
  const now = sql`extract(epoch from now())`
  const { rows } = await sql`
    insert into setting (key, value) values (${key}, ${now}::text)
    on conflict (key) do update set value = excluded.value
      where abs(${now} - setting.value::numeric) > ${seconds}::numeric
    returning key`.execute(db)
  return rows.length > 0
}
