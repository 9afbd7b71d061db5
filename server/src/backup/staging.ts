import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { writePrivate } from '../identity.ts'
import { openPglite } from '../store/open-pglite.ts'
import { syncTree } from '../store/sync-tree.ts'
import type { BackupReader } from './backup-reader.ts'
import { keyFiles } from './key-files.ts'
import { clusterName, unpackCluster } from './pack-cluster.ts'
import { pendingFolder } from './pending-profiles.ts'
import { pathExists } from '../kit/path-exists.ts'

/**
 * Folder of the data directory in which a restore prepares its result. A server refuses to start
 * while it exists.
 */
const stagingName = 'restoring'

/** Files and folders that a restore puts into a data directory, and moves away before. */
const restoredNames = ['pg', pendingFolder, ...keyFiles]

/** The prepared result of a restore. Disposing it without `commit` deletes it. */
export interface Staging extends AsyncDisposable {
  readonly folder: string
  /**
   * Puts the result into the data directory. Returns the folder to which the former contents were
   * moved, if there were any.
   */
  readonly commit: (dataDir: string) => Promise<string | undefined>
}

/**
 * Prepares a restore with the keys of a backup. The caller has locked the data directory. Throws
 * STORE_FAILED if the directory has a database or other keys, unless they are to be replaced.
 */
export async function openStaging(
  reader: BackupReader,
  dataDir: string,
  { replace }: { readonly replace: boolean },
): Promise<Staging> {
  if (!replace) await assertNoData(reader, dataDir)
  const folder = join(dataDir, stagingName)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { mode: 0o700 })
  const dispose = async (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    for (const name of keyFiles) {
      const path = `keys/${name}`
      if (reader.has(path)) await writePrivate(join(folder, name), await text(await reader.read(path)))
    }
  } catch (error) {
    await dispose()
    throw error
  }
  const commit = async (): Promise<string | undefined> => {
    await syncTree(folder)
    const former = join(dataDir, `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`)
    let hasFormer = false
    for (const name of restoredNames) {
      const [current, restored] = [join(dataDir, name), join(folder, name)]
      if (!(await pathExists(restored))) continue
      if (await pathExists(current)) {
        if (!hasFormer) await mkdir(former, { mode: 0o700 })
        hasFormer = true
        await rename(current, join(former, name))
      }
      await rename(restored, current)
    }
    return hasFormer ? former : undefined
  }
  return { folder, commit, [Symbol.asyncDispose]: dispose }
}

/** Unpacks the embedded database of a backup and migrates it. Throws BACKUP_INVALID. */
export async function restoreCluster({ folder }: Staging, reader: BackupReader): Promise<void> {
  await unpackCluster(await reader.read(clusterName), join(folder, 'pg'))
  try {
    await using _store = await openPglite({ dataDir: folder })
  } catch (cause) {
    const { version, store } = reader.manifest
    throw new BowlineError('BACKUP_INVALID', `The database of the backup cannot be opened: ${messageOf(cause)}`, {
      cause,
      hint: `It was made by Bowline ${version} with PostgreSQL ${store.major}. Restore it with that version.`,
    })
  }
}

/** Throws CONFIG_INVALID if a restore to the data directory was interrupted. */
export async function assertNoUnfinishedRestore(dataDir: string): Promise<void> {
  const folder = join(dataDir, stagingName)
  if (!(await pathExists(folder))) return
  throw new BowlineError(
    'CONFIG_INVALID',
    `A restore to the data directory ${dataDir} was interrupted or is running, so its contents may be incomplete`,
    {
      hint: `Run \`bowline-server restore\` again, with \`--replace\`. To keep what the directory has, delete ${folder}; what the restore had moved away is in before-restore-….`,
    },
  )
}

async function assertNoData(reader: BackupReader, dataDir: string): Promise<void> {
  const hint =
    'Restore to another `--data-dir`, or add `--replace`: the present contents are then moved to a folder in it, not deleted.'
  if (await pathExists(join(dataDir, 'pg'))) {
    throw new BowlineError('STORE_FAILED', `The data directory ${dataDir} already has a database`, { hint })
  }
  for (const name of keyFiles) {
    const path = `keys/${name}`
    const found = await readFile(join(dataDir, name), 'utf8').catch(() => undefined)
    if (found === undefined || !reader.has(path) || found === (await text(await reader.read(path)))) continue
    throw new BowlineError('STORE_FAILED', `The data directory ${dataDir} has another ${name} than the backup`, {
      hint,
    })
  }
}
