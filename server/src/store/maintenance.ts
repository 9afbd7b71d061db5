import { sql, type Kysely } from 'kysely'
import { runEvery } from '../kit/run-every.ts'
import type { StoreLog } from './store.ts'

/** Options of `startMaintenance`. */
export interface MaintenanceOptions {
  readonly log?: StoreLog | undefined
  /** Milliseconds between runs. Default: 60000. */
  readonly intervalMs?: number | undefined
}

/**
 * Vacuums, analyzes and checkpoints the embedded database every minute, as it has no autovacuum and
 * no checkpointer. Runs never overlap. Disposing waits for the current run.
 */
export function startMaintenance<Tables>(db: Kysely<Tables>, options: MaintenanceOptions = {}): AsyncDisposable {
  const maintain = async (): Promise<void> => {
    // One table at a time, so that queries can run in between.
    for (const table of await findTablesToVacuum(db)) await sql`vacuum analyze ${sql.raw(table)}`.execute(db)
    await sql`checkpoint`.execute(db)
  }
  return runEvery(options.intervalMs ?? 60_000, maintain, {
    onError: (error) => options.log?.warn({ err: error }, 'Maintenance of the embedded database failed'),
  })
}

/**
 * Returns the quoted names of tables with more than 50 plus a tenth of their rows changed, as
 * autovacuum does.
 */
async function findTablesToVacuum<Tables>(db: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', schemaname, relname) as name from pg_stat_all_tables
    where schemaname <> 'pg_toast' and greatest(n_dead_tup, n_mod_since_analyze) > 50 + n_live_tup / 10`.execute(db)
  return rows.map(({ name }) => name)
}
