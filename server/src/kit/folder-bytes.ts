import { lstat, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Sums the sizes of the files in a folder, one file after the other so that it leaves the disk and
 * the thread pool to other work. Files that vanish meanwhile, and folders that cannot be read,
 * count as 0.
 */
export async function folderBytes(path: string): Promise<number> {
  const folder = await opendir(path).catch(() => undefined)
  if (folder === undefined) return 0
  let bytes = 0
  for await (const entry of folder) {
    const child = join(path, entry.name)
    bytes += entry.isDirectory() ? await folderBytes(child) : await fileBytes(child)
  }
  return bytes
}

/** Returns the size of a file. 0 if it does not exist. */
export async function fileBytes(path: string): Promise<number> {
  return lstat(path).then(
    ({ size }) => size,
    () => 0,
  )
}
