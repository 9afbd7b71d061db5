import { statfs } from 'node:fs/promises'
import { resolve } from 'node:path'
import { BowlineError } from 'bowline/kit/errors'

/** Megabytes that a new database takes, with a first segment of its log. */
const newDatabaseMb = 64

/** Megabytes of one segment of the database's log, which it may have to add when it starts. */
const logSegmentMb = 17

/**
 * Throws DATA_DIR_UNUSABLE if the disk of a folder has no space for a new database, or for opening
 * an existing one. The database itself would only report that it crashed.
 */
export async function assertFreeSpace(folder: string, { isNew }: { readonly isNew: boolean }): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const freeMb = Math.floor((bavail * bsize) / 1e6)
  const neededMb = isNew ? newDatabaseMb : logSegmentMb
  if (freeMb >= neededMb) return
  throw new BowlineError(
    'DATA_DIR_UNUSABLE',
    `The disk of the data directory ${resolve(folder)} is full: ${freeMb} MB left, ${neededMb} MB needed`,
  )
}
