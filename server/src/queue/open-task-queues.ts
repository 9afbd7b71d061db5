import { sql } from 'kysely'
import { PgBoss, type ConstructorOptions } from 'pg-boss'
import type { Tracer } from '../kit/span.ts'
import type { Store } from '../store/store.ts'
import { bossDatabase } from './boss-database.ts'
import { createTeamTaskIndex } from './fair-fetch.ts'
import { createStartedTaskIndex } from './find-waking-queues.ts'
import { TaskQueues } from './task-queues.ts'
import { queueTimings } from './queue-timing.ts'

/** Dependencies of `openTaskQueues`. */
export interface OpenTaskQueuesDeps {
  readonly store: Store
  /** Default: tasks are not traced. */
  readonly tracer?: Tracer | undefined
  readonly onError: (error: unknown, action: string) => void
}

/**
 * Opens the task queues in the store's database. Throws STORE_FAILED if their tables cannot be
 * created.
 */
export async function openTaskQueues({ store, tracer, onError }: OpenTaskQueuesDeps): Promise<TaskQueues> {
  const { superviseSeconds, superviseClaimSeconds } = queueTimings[store.kind]
  const boss = new PgBoss({
    ...connection(store),
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseClaimSeconds,
    // Rarely needed: job dependencies, which we do not use, and migrations of pg-boss in the
    // background.
    flowIntervalSeconds: 3600,
    bamIntervalSeconds: 3600,
  })
  boss.on('error', (error) => onError(error, 'maintaining the queues'))
  await boss.start()
  await createTaskIndexes(store)
  const queues = new TaskQueues({ boss, store, tracer, onError })
  queues.listen()
  return queues
}

async function createTaskIndexes({ kind, db }: Store): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    // Two servers that start at once would both create them.
    await sql`select pg_advisory_xact_lock(hashtext('bowline task indexes'))`.execute(transaction)
    await createTeamTaskIndex(transaction)
    // The indexes of the embedded database are small.
    if (kind === 'postgres') await createStartedTaskIndex(transaction)
  })
}

function connection(store: Store): ConstructorOptions {
  const db = bossDatabase(store.raw)
  // The embedded database has a single user and small indexes, and it is vacuumed by the store.
  return store.kind === 'pglite' ? { db, backend: 'pglite', reindex: false, monitorVacuum: false } : { db }
}
