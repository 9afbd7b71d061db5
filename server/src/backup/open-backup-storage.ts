import { resolve, sep } from 'node:path'
import { BowlineError } from 'bowline/kit/errors'
import { describeBlobLocation, parseBlobLocation, type BlobLocation } from '../blobs/blobs.ts'
import type { S3Credentials } from '../blobs/s3-blobs.ts'
import { openBackupFolder } from './backup-folder.ts'
import { openExplainedBlobs } from './open-explained-blobs.ts'
import type { BackupStorage } from './backup-storage.ts'

/**
 * Opens the storage of a backup without writing to it. Throws CONFIG_INVALID, and PACKAGE_MISSING
 * without the AWS SDK.
 */
export async function openBackupStorage(
  target: string,
  credentials: S3Credentials | undefined,
): Promise<BackupStorage> {
  const location = parseBlobLocation(target, credentials)
  if (location.kind === 'folder') return openBackupFolder(resolve(location.path))
  if (location.prefix === '') {
    throw new BowlineError('CONFIG_INVALID', `The backup needs a prefix in the bucket ${location.bucket}`, {
      hint: 'Use s3://BUCKET/PREFIX.',
    })
  }
  const objects = await openExplainedBlobs(location)
  return {
    name: describeBlobLocation(location),
    blobLocation: location,
    isEmpty: async () => (await objects.list()[Symbol.asyncIterator]().next()).done === true,
    write: async (path, contents) => objects.write(path, contents),
    read: async (path) => objects.read(path),
    has: async (path) => objects.has(path),
    delete: async (path) => objects.delete(path),
  }
}

/** Whether a backup would be inside a blob storage, or the other way round. */
export function areNested(left: BlobLocation, right: BlobLocation): boolean {
  if (left.kind === 'folder' && right.kind === 'folder') {
    return isWithin(resolve(left.path), resolve(right.path), sep)
  }
  if (left.kind !== 's3' || right.kind !== 's3' || left.bucket !== right.bucket) return false
  return isWithin(left.prefix, right.prefix, '/')
}

function isWithin(left: string, right: string, separator: string): boolean {
  const isBelow = (inner: string, outer: string): boolean =>
    outer === '' || inner === outer || inner.startsWith(`${outer}${separator}`)
  return isBelow(left, right) || isBelow(right, left)
}
