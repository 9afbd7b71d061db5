import { countOf } from 'bowline/kit/count-of'
import { blobsFolder } from '../backup/back-up-blobs.ts'
import type { BackupManifest } from '../backup/backup-manifest.ts'
import { clusterName } from '../backup/pack-cluster.ts'
import { dumpName } from '../backup/dump-postgres.ts'
import { formatMegabytes } from './backup-options.ts'

/** Facts about a backup, for `--json`. */
export interface BackupFacts {
  readonly location: string
  readonly createdAt: string
  /** Version of Bowline that made the backup. */
  readonly version: string
  readonly store: 'pglite' | 'postgres'
  /** Last migration that the database has. */
  readonly schema: string
  readonly bytes: number
  readonly blobs: number
  /** Files with keys, such as `profile-key`. */
  readonly keys: readonly string[]
  /** Ids of profile keys that profiles and secrets need, and that the backup does not have. */
  readonly missingProfileKeys: readonly string[]
}

/** Collects the facts about a backup. */
export function backupFacts(location: string, manifest: BackupManifest): BackupFacts {
  const { createdAt, version, store, files, profileKeys } = manifest
  return {
    location,
    createdAt,
    version,
    store: store.kind,
    schema: store.migrations.at(-1) ?? '',
    bytes: bytesOf(files),
    blobs: filesBelow(blobsFolder, files).length,
    keys: keysOf(files),
    missingProfileKeys: profileKeys.filter(({ isIncluded }) => !isIncluded).map(({ id }) => id),
  }
}

/** Returns the names and values of a backup's parts for a terminal. */
export function describeContents({ store, files }: BackupManifest): Readonly<Record<string, string>> {
  const database = files.filter(({ path }) => path === clusterName || path === dumpName)
  const blobs = filesBelow(blobsFolder, files)
  const keys = keysOf(files)
  const kind = store.kind === 'pglite' ? 'embedded' : `PostgreSQL ${store.major}`
  return {
    database: `${kind}, schema ${store.migrations.at(-1)}, ${formatMegabytes(bytesOf(database))}`,
    blobs: `${countOf(blobs.length, 'file')}, ${formatMegabytes(bytesOf(blobs))}`,
    keys: keys.length === 0 ? 'none' : keys.join(', '),
  }
}

type Files = BackupManifest['files']

function filesBelow(folder: string, files: Files): Files {
  return files.filter(({ path }) => path.startsWith(`${folder}/`))
}

function keysOf(files: Files): readonly string[] {
  return filesBelow('keys', files).map(({ path }) => path.slice('keys/'.length))
}

function bytesOf(files: Files): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0)
}
