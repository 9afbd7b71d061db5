import { sql, type Kysely } from 'kysely'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'

const channel = 'bowline_jobs'

/**
 * Notifies all servers of a new task in a queue when the transaction commits (PostgreSQL `NOTIFY`).
 */
export async function notifyQueue(db: Kysely<Database>, queueName: string): Promise<void> {
  await sql`select pg_notify(${channel}, ${queueName})`.execute(db)
}

/**
 * Calls back with the name of each queue that gets a task, and without a name after a reconnect,
 * when notifications may have been missed. Disposing stops listening. `undefined` in the embedded
 * store.
 */
export function listenForTasks(
  store: Pick<Store, 'listen'>,
  onNotification: (queueName?: string) => void,
): AsyncDisposable | undefined {
  return store.listen?.(channel, onNotification)
}
