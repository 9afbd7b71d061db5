import { constants } from 'node:fs'
import { cp, readdir, rm, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { BowlineError } from 'bowline/kit/errors'

/** Megabytes that a copy must leave free, for the log of the database. */
const spareMb = 100

/**
 * Copies a directory tree to a new folder, on file systems that can without copying the data.
 * Throws DATA_DIR_UNUSABLE if the disk has no space for it. Leaves nothing behind on failure.
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  await assertFits(from, dirname(to))
  try {
    await cp(from, to, { recursive: true, errorOnExist: true, force: false, mode: constants.COPYFILE_FICLONE })
  } catch (error) {
    await rm(to, { recursive: true, force: true })
    throw error
  }
}

async function assertFits(from: string, parent: string): Promise<void> {
  const entries = await readdir(from, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size))
  const neededMb = Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 1e6) + spareMb
  const { bavail, bsize } = await statfs(parent)
  const freeMb = Math.floor((bavail * bsize) / 1e6)
  if (freeMb >= neededMb) return
  throw new BowlineError(
    'DATA_DIR_UNUSABLE',
    `The disk of ${parent} has no space for a copy of the database: ${freeMb} MB left, ${neededMb} MB needed`,
    { hint: 'Free space on the disk of the data directory, or stop the server first: then no copy is needed.' },
  )
}
