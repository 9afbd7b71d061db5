import type { Logger } from 'pino'
import type { ServerConfig } from '../config.ts'
import { readIdentity, type Identity } from '../identity.ts'
import type { Blobs } from '../store/blobs.ts'
import { lockFolder } from '../store/lock.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { assertEmbeddedStoreExpected, assertPostgresExpected } from './check-store-change.ts'
import { openConfiguredBlobs } from './open-blobs.ts'

/** What the server remembers across restarts. */
export interface Storage {
  readonly identity: Identity
  readonly store: Store
  readonly blobs: Blobs
  /** Identity of the folder or bucket that holds the blobs. */
  readonly blobsId: string
}

/** Opens the data directory, the database and the blobs. Throws CONFIG_INVALID, DATA_DIR_IN_USE, STORE_FAILED. */
export async function openStorage(
  undo: AsyncDisposableStack,
  config: ServerConfig,
  { log, onFatal }: { readonly log: Logger; readonly onFatal: (error: Error) => void },
): Promise<Storage> {
  const { dataDir, databaseUrl } = config
  // The directory names this node: a second server in it would take the sessions of the first for its own of a former run.
  // The embedded store has a lock of its own.
  if (databaseUrl !== undefined) undo.use(await lockFolder(dataDir))
  const identity = await readIdentity(dataDir, config.apiKey)
  if (databaseUrl === undefined) await assertEmbeddedStoreExpected(dataDir)
  const store = undo.use(await openStore({ ...config, onFatal, log }))
  if (databaseUrl !== undefined) await assertPostgresExpected(store, dataDir, log)
  return { identity, store, ...(await openConfiguredBlobs(config, { store, identity })) }
}
