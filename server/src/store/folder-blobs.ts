import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream, type Dirent } from 'node:fs'
import { open, opendir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeFolder } from 'bowline/kit/make-folder'

/** Blobs as files below a folder, which is created. A file appears under its name once it is complete and durable. */
export async function openFolderBlobs(root: string) {
  const incomplete = join(root, incompleteFolder)
  // One after the other: an error names the folder that was configured.
  await makeFolder(root)
  await makeFolder(incomplete)
  await removeAbandoned(incomplete)
  return {
    write: async (key: string, contents: Readable, signal?: AbortSignal): Promise<void> => {
      const path = pathOf(root, key)
      const temporary = join(incomplete, randomUUID())
      try {
        await pipeline(contents, createWriteStream(temporary, { flags: 'wx', mode: 0o600, flush: true }), { signal })
        await makeFolder(dirname(path))
        await rename(temporary, path)
        await syncFolder(dirname(path))
      } catch (error) {
        await rm(temporary, { force: true })
        signal?.throwIfAborted()
        throw error
      }
    },
    read: async (key: string, signal?: AbortSignal): Promise<Readable> =>
      createReadStream(pathOf(root, key), { signal }),
    has: async (key: string): Promise<boolean> =>
      stat(pathOf(root, key)).then((found) => found.isFile(), ifMissing(false)),
    delete: async (key: string): Promise<void> => rm(pathOf(root, key), { force: true }),
    list: async function* (folder: string): AsyncGenerator<string> {
      for await (const entry of entriesOf(pathOf(root, folder))) {
        if (entry.isFile()) yield relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/')
      }
    },
  }
}

/** Where files are written until they are complete: on the file system of the others, so that they can be renamed. */
const incompleteFolder = '.incomplete'

/** Hours after which a file that is not complete was left by a server that died. Other servers may share the folder. */
const abandonedMs = 24 * 60 * 60 * 1000

async function removeAbandoned(folder: string): Promise<void> {
  for await (const { name } of entriesOf(folder)) {
    const path = join(folder, name)
    const changedMs = await stat(path).then(({ mtimeMs }) => mtimeMs, ifMissing(Infinity))
    if (Date.now() - changedMs > abandonedMs) await rm(path, { force: true })
  }
}

function pathOf(root: string, key: string): string {
  const parts = key.split('/')
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0')) || key.includes('\\')) {
    throw new Error(`${JSON.stringify(key)} is not the key of a blob`)
  }
  return join(root, ...parts)
}

/** The files and folders below a folder, however deep. None if there is no such folder. */
async function* entriesOf(folder: string): AsyncGenerator<Dirent> {
  try {
    yield* await opendir(folder, { recursive: true })
  } catch (error) {
    ifMissing(undefined)(error)
  }
}

function ifMissing<Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (Error.isError(error) && 'code' in error && error.code === 'ENOENT') return value
    throw error
  }
}

/** A rename is durable only once the folder is. */
async function syncFolder(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}
