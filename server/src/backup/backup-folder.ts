import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BowlineError } from 'bowline/kit/errors'
import { makeFolder } from 'bowline/kit/make-folder'
import { isDiskFullError } from '../kit/disk-full.ts'
import { ifMissing } from '../kit/if-missing.ts'
import { syncFolder } from '../kit/sync-folder.ts'
import type { BackupStorage } from './backup-storage.ts'

/** Ending of a file that is being written. */
const draftSuffix = '.partial'

/** Opens a folder for a backup. Files have the mode 0600, new folders 0700. */
export function openBackupFolder(root: string): BackupStorage {
  const pathOf = (path: string): string => {
    const segments = path.split('/')
    if (segments.some((each) => each === '' || each === '.' || each === '..' || /[\\\0]/.test(each))) {
      throw new Error(`Invalid path in a backup: ${JSON.stringify(path)}`)
    }
    return join(root, ...segments)
  }
  return {
    name: root,
    blobLocation: { kind: 'folder', path: root },
    isEmpty: async () => (await readdir(root).catch(ifMissing<string[]>([]))).length === 0,
    write: async (path, contents) => {
      const target = pathOf(path)
      const draft = `${target}${draftSuffix}`
      await makeFolder(dirname(target))
      try {
        await pipeline(contents, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }))
        await rename(draft, target)
        await syncFolder(dirname(target))
      } catch (error) {
        await rm(draft, { force: true })
        await removeEmptyFolders(dirname(target), root)
        throw explainFullDisk(error, root)
      }
    },
    read: async (path) => createReadStream(pathOf(path)),
    has: async (path) => stat(pathOf(path)).then((found) => found.isFile(), ifMissing(false)),
    delete: async (path) => {
      await rm(pathOf(path), { force: true })
      await removeEmptyFolders(dirname(pathOf(path)), root)
    },
  }
}

/** Removes a folder below `root`, and those above it, until one is not empty. */
async function removeEmptyFolders(folder: string, root: string): Promise<void> {
  for (let each = folder; each !== root; each = dirname(each)) {
    const isRemoved = await rmdir(each).then(
      () => true,
      () => false,
    )
    if (!isRemoved) return
  }
}

/** Names the folder in the error of a full disk, which has no path. */
function explainFullDisk(error: unknown, root: string): unknown {
  return isDiskFullError(error)
    ? new BowlineError('LOCAL_FILE_FAILED', `The disk of ${root} is full`, { cause: error })
    : error
}
