import { sql } from 'kysely'
import { abortable } from 'bowline/kit/abort'
import { openPglite } from './open-pglite.ts'
import { openPostgres } from './open-postgres.ts'
import type { Store, StoreOptions } from './store.ts'

/**
 * Opens and migrates the database. Throws DATA_DIR_IN_USE if another server uses the data
 * directory, STORE_FAILED if the database cannot be used.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { databaseUrl, databaseConnections: connections, log } = options
  const opened =
    databaseUrl === undefined ? await openPglite(options) : await openPostgres({ databaseUrl, connections, log })
  const ping = async (signal?: AbortSignal): Promise<void> => {
    await abortable(sql`select 1`.execute(opened.db), signal)
  }
  return { ...opened, ping }
}
