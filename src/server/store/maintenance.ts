import { sql, type Kysely } from 'kysely'
import type { StoreLog } from './open.ts'

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
export const startMaintenance = <Tables>(db: Kysely<Tables>, options: MaintenanceOptions = {}): AsyncDisposable => {
  let running: Promise<void> | undefined

  const tidy = async (): Promise<void> => {
    try {
      await sql`vacuum analyze`.execute(db)
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
