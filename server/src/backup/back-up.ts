import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { BowlineError } from 'bowline/kit/errors'
import { configuredBlobs, configuredCredentials } from '../blobs/configured-blobs.ts'
import { profileKeyId, readKeyFile } from '../profiles/profile-key.ts'
import { packageVersion } from '../version.ts'
import { backUpBlobs, openExistingBlobs } from './back-up-blobs.ts'
import type { BackupSettings } from './backup-settings.ts'
import { BackupWriter } from './backup-writer.ts'
import type { BackupStorage } from './backup-storage.ts'
import { createManifest, manifestName, type BackupManifest } from './backup-manifest.ts'
import { areNested, openBackupStorage } from './open-backup-storage.ts'
import { dumpPostgres } from './dump-postgres.ts'
import { keyFiles } from './key-files.ts'
import { recordLastBackup } from './last-backup.ts'
import { assertStoreExists, openStoreCopy } from './open-store-copy.ts'
import { clusterName, packCluster } from './pack-cluster.ts'
import { backUpPendingProfiles } from './pending-profiles.ts'
import type { StoreFacts } from './store-facts.ts'

/** Result of a backup. */
export interface BackupReport {
  /** Where it is: a path, or `s3://BUCKET/PREFIX`. */
  readonly location: string
  readonly manifest: BackupManifest
}

/**
 * Backs up a server, also while it runs: the database at one point in time, the blobs that it names
 * and the keys. On failure, deletes what it has written. Throws LOCAL_FILE_FAILED if the target is
 * not empty, and STORE_FAILED, DATA_DIR_IN_USE, DATA_DIR_UNUSABLE, PACKAGE_MISSING or
 * CONFIG_INVALID.
 */
export async function backUp(target: string, settings: BackupSettings): Promise<BackupReport> {
  const storage = await openBackupStorage(target, configuredCredentials(settings))
  if (settings.databaseUrl === undefined) await assertStoreExists(settings.dataDir)
  await assertUsable(storage, settings)
  const writer = new BackupWriter(storage)
  try {
    const facts = await writeContents(writer, settings)
    const keyInFile = await readKeyFile(settings.dataDir)
    const keys = new Set([facts.storedKeyId, keyInFile && profileKeyId(keyInFile)])
    const manifest = createManifest({
      version: packageVersion,
      store: {
        kind: settings.databaseUrl === undefined ? 'pglite' : 'postgres',
        major: facts.major,
        schema: facts.schema,
        migrations: [...facts.migrations],
      },
      profileKeys: facts.keyIds.map((id) => ({ id, isIncluded: keys.has(id) })),
      files: writer.files,
    })
    await writer.write(manifestName, Readable.from([`${JSON.stringify(manifest, undefined, 1)}\n`]))
    await recordLastBackup(settings.dataDir, { at: manifest.createdAt, location: storage.name })
    return { location: storage.name, manifest }
  } catch (error) {
    await writer.undo()
    throw error
  }
}

async function assertUsable(storage: BackupStorage, settings: BackupSettings): Promise<void> {
  if (areNested(storage.blobLocation, configuredBlobs(settings))) {
    throw new BowlineError('CONFIG_INVALID', `The backup in ${storage.name} would be among the blobs of the server`, {
      hint: 'Choose a folder or prefix outside of the blob storage.',
    })
  }
  if (await storage.isEmpty()) return
  const isComplete = await storage.has(manifestName)
  throw new BowlineError(
    'LOCAL_FILE_FAILED',
    `${storage.name} is not empty: it has ${isComplete ? 'another backup' : `files, but no ${manifestName} of a whole backup`}`,
    { hint: 'Choose a new folder or prefix for each backup, or delete this one first.' },
  )
}

/**
 * Writes everything except the manifest. Blobs never change, so those from before the copy of the
 * database and those that were added meanwhile are all that it names.
 */
async function writeContents(writer: BackupWriter, settings: BackupSettings): Promise<StoreFacts> {
  const { dataDir } = settings
  const blobs = await openExistingBlobs(configuredBlobs(settings))
  await backUpPendingProfiles(writer, dataDir)
  await backUpBlobs(writer, blobs)
  const facts = await writeDatabase(writer, settings)
  await backUpBlobs(writer, blobs)
  for (const name of keyFiles) {
    const text = await readFile(join(dataDir, name)).catch(() => undefined)
    if (text !== undefined) await writer.write(`keys/${name}`, Readable.from([text]))
  }
  return facts
}

async function writeDatabase(writer: BackupWriter, settings: BackupSettings): Promise<StoreFacts> {
  const { dataDir, databaseUrl, environment = {} } = settings
  if (databaseUrl !== undefined) return dumpPostgres(writer, databaseUrl, environment)
  await using copy = await openStoreCopy(dataDir)
  await writer.write(clusterName, packCluster(copy.folder))
  return copy.facts
}
