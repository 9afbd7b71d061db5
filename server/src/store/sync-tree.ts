import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Resolves when every file and name under `folder` would survive a power cut. */
export async function syncTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  // Windows cannot open directories, and needs no such sync.
  const wanted = entries.filter((entry) => entry.isFile() || process.platform !== 'win32')
  await Promise.all([...wanted.map((entry) => join(entry.parentPath, entry.name)), folder].map(syncPath))
}

async function syncPath(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}
