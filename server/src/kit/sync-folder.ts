import { open } from 'node:fs/promises'

/** Syncs a folder, which makes renames into it durable. */
export async function syncFolder(path: string): Promise<void> {
  // Windows cannot open directories and does not need to sync them.
  if (process.platform === 'win32') return
  await using handle = await open(path, 'r')
  await handle.sync()
}
