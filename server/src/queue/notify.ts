import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'

const channel = 'bowline_jobs'

/** Tells all servers on a PostgreSQL of a job in a queue, once the transaction commits. */
export async function notifyQueue(db: Kysely<Database>, queueName: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${queueName})`.execute(db)
}

/** Calls with the name of a queue that has a new job, and without one when some may have been missed. Disposing stops that. */
export function listenForJobs(
  store: Pick<Store, 'listen'>,
  onNotification: (queueName?: string) => void,
): AsyncDisposable | undefined {
  return store.listen?.(channel, onNotification)
}
