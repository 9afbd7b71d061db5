import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Syncs all files and directories under `folder` to disk. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  // Windows cannot open directories and does not need to sync them.
  const wanted = entries.filter((entry) => entry.isFile() || process.platform !== 'win32')
  await Promise.all([...wanted.map((entry) => join(entry.parentPath, entry.name)), folder].map(syncPath))
}

async function syncPath(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}
