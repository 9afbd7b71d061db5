import type { Logger } from 'pino'
import type { ServerConfig } from '../config.ts'
import { readIdentity, type Identity } from '../identity.ts'
import type { Blobs } from '../blobs/blobs.ts'
import { lockFolder } from '../store/lock.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { assertEmbeddedStoreExpected, assertPostgresExpected } from './check-store-change.ts'
import { openConfiguredBlobs } from './open-blobs.ts'

/** Persistent storage of the server. */
export interface Storage {
  readonly identity: Identity
  readonly store: Store
  readonly blobs: Blobs
  /** Identifies the folder or bucket that holds the blobs. */
  readonly blobsId: string
}

/**
 * Opens the data directory, the database and the blob storage.
 * Throws CONFIG_INVALID, DATA_DIR_IN_USE or STORE_FAILED.
 */
export async function openStorage(
  resources: AsyncDisposableStack,
  config: ServerConfig,
  { log, onFatal }: { readonly log: Logger; readonly onFatal: (error: Error) => void },
): Promise<Storage> {
  const { dataDir, databaseUrl, databaseConnections } = config
  // The data directory identifies this node: a second server in it would recover the sessions of
  // the first as those of a previous run. The embedded store has its own lock.
  if (databaseUrl !== undefined) resources.use(await lockFolder(dataDir))
  const identity = await readIdentity(dataDir, config.apiKey)
  if (databaseUrl === undefined) await assertEmbeddedStoreExpected(dataDir)
  const store = resources.use(await openStore({ dataDir, databaseUrl, databaseConnections, onFatal, log }))
  if (databaseUrl !== undefined) await assertPostgresExpected(store, dataDir, log)
  return { identity, store, ...(await openConfiguredBlobs(config, { store, identity })) }
}
