import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, type Dirent } from 'node:fs'
import { opendir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { dayMs } from 'bowline/kit/day-ms'
import { makeFolder } from 'bowline/kit/make-folder'
import { folderBytes } from '../kit/folder-bytes.ts'
import { explainDiskFull } from '../kit/disk-full.ts'
import { ifMissing } from '../kit/if-missing.ts'
import { syncFolder } from '../kit/sync-folder.ts'

/**
 * Opens a blob store in a folder and creates the folder if needed. Files appear under their names
 * once they are complete and durable. A write to a full disk rejects with STORE_UNAVAILABLE.
 */
export async function openFolderBlobs(root: string) {
  const incomplete = join(root, incompleteFolder)
  // Sequential, so that an error names the configured folder.
  await makeFolder(root)
  await makeFolder(incomplete)
  await removeAbandoned(incomplete)
  return {
    write: async (key: string, contents: Readable, signal?: AbortSignal): Promise<void> => {
      const path = pathOf(root, key)
      const temporary = join(incomplete, randomUUID())
      try {
        await pipeline(contents, createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }), { signal })
        await moveInto(temporary, path)
        await syncFolder(dirname(path))
      } catch (error) {
        await rm(temporary, { force: true })
        signal?.throwIfAborted()
        throw explainDiskFull(error)
      }
    },
    read: async (key: string, signal?: AbortSignal): Promise<Readable> =>
      createReadStream(pathOf(root, key), { signal }),
    has: async (key: string): Promise<boolean> =>
      stat(pathOf(root, key)).then((found) => found.isFile(), ifMissing(false)),
    delete: async (key: string): Promise<void> => {
      const path = pathOf(root, key)
      await rm(path, { force: true })
      // Each scrape and profile has a folder of its own. Those directly in the root stay.
      if (key.split('/').length > 2) await rmdir(dirname(path)).catch(() => undefined)
    },
    bytes: async (): Promise<number> => folderBytes(root),
    list: async function* (folder?: string): AsyncGenerator<string> {
      for await (const entry of entriesOf(folder === undefined ? root : pathOf(root, folder))) {
        const key = relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/')
        // No key starts with a dot: incomplete files and the marker of the folder do.
        if (entry.isFile() && !key.startsWith('.')) yield key
      }
    },
  }
}

/**
 * Subfolder for incomplete files. On the same file system as the others, so that they can be
 * renamed.
 */
const incompleteFolder = '.incomplete'

/**
 * Age in milliseconds after which an incomplete file counts as left behind by a crash. Other
 * servers may be writing younger ones to a shared folder.
 */
const abandonedMs = dayMs

async function removeAbandoned(folder: string): Promise<void> {
  for await (const { name } of entriesOf(folder)) {
    const path = join(folder, name)
    const changedMs = await stat(path).then(({ mtimeMs }) => mtimeMs, ifMissing(Infinity))
    if (Date.now() - changedMs > abandonedMs) await rm(path, { force: true })
  }
}

function pathOf(root: string, key: string): string {
  const segments = key.split('/')
  const isInvalid = segments.some((each) => each === '' || each === '.' || each === '..' || each.includes('\0'))
  if (isInvalid || key.includes('\\')) throw new Error(`Invalid blob key ${JSON.stringify(key)}`)
  return join(root, ...segments)
}

/** Lists the entries of a folder recursively. Empty if the folder does not exist. */
async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  try {
    for await (const entry of await opendir(folder)) {
      yield entry
      // A folder that is deleted meanwhile does not end the list of the others.
      if (entry.isDirectory()) yield* entriesOf(join(folder, entry.name))
    }
  } catch (error) {
    ifMissing(undefined)(error)
  }
}

/** Moves a file. Creates its folder again if a deletion has removed it as empty. */
async function moveInto(file: string, path: string): Promise<void> {
  for (let attemptsLeft = 10; ; attemptsLeft--) {
    await makeFolder(dirname(path))
    try {
      return await rename(file, path)
    } catch (error) {
      if (attemptsLeft === 0) throw error
      ifMissing(undefined)(error)
    }
  }
}
