import { lockFolder } from '../store/lock.ts'
import { BowlineError } from 'bowline/kit/errors'
import { openBlobs } from '../blobs/blobs.ts'
import { configuredBlobs, configuredCredentials } from '../blobs/configured-blobs.ts'
import { join } from 'node:path'
import { blobsFolder } from './back-up-blobs.ts'
import type { BackupSettings } from './backup-settings.ts'
import type { BackupManifest } from './backup-manifest.ts'
import { openBackupStorage } from './open-backup-storage.ts'
import { BackupReader } from './backup-reader.ts'
import { openExplainedBlobs } from './open-explained-blobs.ts'
import { pendingFolder } from './pending-profiles.ts'
import { assertRestorable, restorePostgres } from './restore-postgres.ts'
import { openStaging, restoreCluster, type Staging } from './staging.ts'

/** Options of `restore`. */
export interface RestoreOptions {
  /** Replace a store that has data. Default: it is refused. */
  readonly replace?: boolean | undefined
}

/** Result of a restore. */
export interface RestoreReport {
  readonly location: string
  readonly manifest: BackupManifest
  /** Folder of the data directory to which its former contents were moved. Undefined: none. */
  readonly formerData: string | undefined
}

/**
 * Restores a server from a backup: the database, blobs and keys. Migrates an older schema. Verifies
 * the whole backup before it changes anything. Throws BACKUP_INVALID, STORE_FAILED if the store has
 * data, DATA_DIR_IN_USE if a server is running, and CONFIG_INVALID for a backup of the other kind
 * of store.
 */
export async function restore(
  source: string,
  settings: BackupSettings,
  { replace = false }: RestoreOptions = {},
): Promise<RestoreReport> {
  const storage = await openBackupStorage(source, configuredCredentials(settings))
  const reader = await BackupReader.open(storage)
  const { manifest } = reader
  assertSameKind(manifest, settings)
  await reader.verify()
  using _lock = await lockFolder(settings.dataDir)
  await using staging = await openStaging(reader, settings.dataDir, { replace })
  const formerData = await restoreInto(staging, reader, settings, replace)
  return { location: storage.name, manifest, formerData }
}

async function restoreInto(
  staging: Staging,
  reader: BackupReader,
  settings: BackupSettings,
  replace: boolean,
): Promise<string | undefined> {
  const { dataDir, databaseUrl, environment = {} } = settings
  if (databaseUrl !== undefined) await assertRestorable(databaseUrl, reader.manifest, { replace })
  else await restoreCluster(staging, reader)
  // Blobs have unique names and never change, so they neither replace nor disturb others.
  const blobs = await openExplainedBlobs(configuredBlobs(settings))
  await reader.forEach(blobsFolder, async (key, contents) => blobs.write(key, contents))
  const pending = await openBlobs({ kind: 'folder', path: join(staging.folder, pendingFolder) })
  await reader.forEach(pendingFolder, async (key, contents) => pending.write(key, contents))
  if (databaseUrl !== undefined) await restorePostgres(reader, databaseUrl, environment)
  return staging.commit(dataDir)
}

function assertSameKind({ store }: BackupManifest, { databaseUrl }: BackupSettings): void {
  if (store.kind === 'pglite' && databaseUrl !== undefined) {
    throw new BowlineError(
      'CONFIG_INVALID',
      'The backup has an embedded database, which cannot be restored to PostgreSQL',
      {
        hint: 'Restore it to a data directory, without `--database-url`. Then move that to PostgreSQL with `bowline-server move --to URL`.',
      },
    )
  }
  if (store.kind === 'postgres' && databaseUrl === undefined) {
    throw new BowlineError('CONFIG_INVALID', 'The backup has a PostgreSQL database, but `--database-url` is not set', {
      hint: 'Set DATABASE_URL or `--database-url` to an empty PostgreSQL database.',
    })
  }
}
