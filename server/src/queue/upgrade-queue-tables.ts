import { PgBoss } from 'pg-boss'
import type { Store } from '../store/store.ts'
import { bossDatabase } from './boss-database.ts'

/**
 * Creates the tables of the queues in a database, or migrates them to this version, without working
 * on any task.
 */
export async function upgradeQueueTables(store: Pick<Store, 'kind' | 'raw'>): Promise<void> {
  const options = { db: bossDatabase(store.raw), supervise: false, schedule: false }
  const boss = new PgBoss(store.kind === 'pglite' ? { ...options, backend: 'pglite' } : options)
  await boss.start()
  await boss.stop({ graceful: false })
}
