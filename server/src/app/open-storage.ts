import type { Logger } from 'pino'
import { assertNoUnfinishedRestore } from '../backup/staging.ts'
import { offerStoreCopies } from '../backup/store-copies.ts'
import type { ServerConfig } from '../config.ts'
import { readIdentity, type Identity } from '../identity.ts'
import { lockFolder } from '../store/lock.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { assertEmbeddedStoreExpected, assertPostgresExpected } from './check-store-change.ts'

/** Persistent storage of the server. */
export interface Storage {
  readonly identity: Identity
  readonly store: Store
}

/** Settings of the persistent storage. */
export type StorageSettings = Pick<ServerConfig, 'dataDir' | 'apiKey' | 'databaseUrl' | 'databaseConnections'>

/**
 * Opens the data directory and the database.
 * Throws CONFIG_INVALID, DATA_DIR_IN_USE or STORE_FAILED.
 */
export async function openStorage(
  resources: AsyncDisposableStack,
  { dataDir, apiKey, databaseUrl, databaseConnections }: StorageSettings,
  { log, onFatal }: { readonly log: Logger; readonly onFatal: (error: Error) => void },
): Promise<Storage> {
  // The data directory identifies this node: a second server in it would recover the sessions of
  // the first as those of a previous run. The embedded store has its own lock.
  if (databaseUrl !== undefined) resources.use(await lockFolder(dataDir))
  await assertNoUnfinishedRestore(dataDir)
  const identity = await readIdentity(dataDir, apiKey)
  if (databaseUrl === undefined) await assertEmbeddedStoreExpected(dataDir)
  const store = resources.use(await openStore({ dataDir, databaseUrl, databaseConnections, onFatal, log }))
  if (databaseUrl !== undefined) await assertPostgresExpected(store, dataDir, log)
  resources.use(await offerStoreCopies(store, dataDir, log))
  return { identity, store }
}
