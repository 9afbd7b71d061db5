import { PgBoss, type ConstructorOptions } from 'pg-boss'
import type { Store } from '../store/store.ts'
import { bossDatabase } from './boss-database.ts'
import { JobQueues } from './job-queues.ts'
import { queueTimings } from './queue-timing.ts'

/** The parts of the server that queues are built from. */
export interface OpenJobQueuesDeps {
  readonly store: Store
  readonly onError: (error: unknown, what: string) => void
}

/** Opens the queues, which live in the database of the store. Throws STORE_FAILED when they cannot be made. */
export async function openJobQueues({ store, onError }: OpenJobQueuesDeps): Promise<JobQueues> {
  const { superviseSeconds } = queueTimings[store.kind]
  const boss = new PgBoss({
    ...connection(store),
    schedule: false,
    superviseIntervalSeconds: superviseSeconds,
    monitorIntervalSeconds: superviseSeconds,
    // For jobs that wait for jobs, which there are none of, and for what an upgrade of the library leaves to be done.
    flowIntervalSeconds: 3600,
    bamIntervalSeconds: 3600,
  })
  boss.on('error', (error) => onError(error, 'looking after the queues'))
  await boss.start()
  const jobs = new JobQueues({ boss, store, onError })
  jobs.listen()
  return jobs
}

function connection(store: Store): ConstructorOptions {
  const db = bossDatabase(store.raw)
  // Nobody else has an embedded database, and its indexes are small.
  return store.kind === 'pglite' ? { db, backend: 'pglite', reindex: false, monitorVacuum: false } : { db }
}
