import { sql, type Kysely } from 'kysely'
import type { StoreLog } from './store.ts'

/** What the maintenance may be told. */
export interface MaintenanceOptions {
  readonly log?: StoreLog | undefined
  /** Time between two runs. Default 60,000. */
  readonly intervalMs?: number | undefined
}

/**
 * Tidies the embedded database every minute: it has no autovacuum and no checkpointer of its own, so that tables,
 * logs and plans would only grow worse. Runs never overlap. Disposing waits for the running one.
 */
export function startMaintenance<Tables>(db: Kysely<Tables>, options: MaintenanceOptions = {}): AsyncDisposable {
  let running: Promise<void> | undefined

  const tidy = async (): Promise<void> => {
    try {
      // Table by table, so that nobody waits for all of them.
      for (const table of await findTablesToVacuum(db)) await sql`vacuum analyze ${sql.raw(table)}`.execute(db)
      await sql`checkpoint`.execute(db)
    } catch (error) {
      options.log?.warn({ err: error }, 'The maintenance of the embedded database failed')
    }
  }
  const timer = setInterval(() => {
    running ??= tidy().finally(() => {
      running = undefined
    })
  }, options.intervalMs ?? 60_000)
  timer.unref()

  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await running
    },
  }
}

/** Names of the tables of which more than 50 rows and a tenth have changed, quoted for SQL: autovacuum's own measure. */
async function findTablesToVacuum<Tables>(db: Kysely<Tables>): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select format('%I.%I', schemaname, relname) as name from pg_stat_all_tables
    where schemaname <> 'pg_toast' and greatest(n_dead_tup, n_mod_since_analyze) > 50 + n_live_tup / 10`.execute(db)
  return rows.map(({ name }) => name)
}
