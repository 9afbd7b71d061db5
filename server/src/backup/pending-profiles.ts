import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { ifMissing } from '../kit/if-missing.ts'
import type { BackupWriter } from './backup-writer.ts'

/**
 * Folder of the data directory, and of a backup, with profiles that could not be stored yet. Each
 * record is next to the blob that it names.
 */
export const pendingFolder = 'pending-profiles'

/** Adds the profiles to a backup that the server has not been able to store yet. */
export async function backUpPendingProfiles(writer: BackupWriter, dataDir: string): Promise<void> {
  const folder = join(dataDir, pendingFolder)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    // Incomplete archives and records cannot be restored.
    .filter((path) => !path.startsWith('.') && !path.endsWith('.new'))
  // Archives, in subfolders, come first: they are deleted after their records. A record that is
  // still there at its turn has its archive in the backup.
  const [records, archives] = [paths.filter((path) => !path.includes('/')), paths.filter((path) => path.includes('/'))]
  for (const path of [...archives, ...records]) {
    // A profile that is stored meanwhile is in the database and among the blobs.
    await writer.write(`${pendingFolder}/${path}`, createReadStream(join(folder, path))).catch(ifMissing(undefined))
  }
}
