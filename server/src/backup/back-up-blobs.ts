import { access } from 'node:fs/promises'
import { BowlineError } from 'bowline/kit/errors'
import type { BlobLocation, Blobs } from '../blobs/blobs.ts'
import type { BackupWriter } from './backup-writer.ts'
import { forEachOf } from './for-each-of.ts'
import { openExplainedBlobs } from './open-explained-blobs.ts'

/** Folder of the blobs in a backup. */
export const blobsFolder = 'blobs'

/**
 * Opens the blob storage of a server. Throws CONFIG_INVALID if its folder does not exist, as on
 * another machine than the server's.
 */
export async function openExistingBlobs(location: BlobLocation): Promise<Blobs> {
  if (location.kind === 'folder') {
    const { path } = location
    await access(path).catch((cause: unknown) => {
      throw new BowlineError('CONFIG_INVALID', `The folder ${path}, in which the server keeps its blobs, is missing`, {
        cause,
        hint: 'Run the command on the machine of the server, with the `--data-dir` and `--blobs` of the server.',
      })
    })
  }
  return openExplainedBlobs(location)
}

/** Adds the blobs to a backup that it does not have. Skips blobs that are deleted meanwhile. */
export async function backUpBlobs(writer: BackupWriter, blobs: Blobs): Promise<void> {
  await forEachOf(blobs.list(), async (key) => {
    const path = `${blobsFolder}/${key}`
    if (writer.has(path)) return
    try {
      await writer.write(path, await blobs.read(key))
    } catch (error) {
      if (await blobs.has(key)) throw error
    }
  })
}
