import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import { messageOf } from 'bowline/kit/message-of'
import { explainDiskFull } from '../kit/disk-full.ts'
import type { Blobs } from '../blobs/blobs.ts'
import { packProfile } from './pack.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import { keyWithId, type ProfileKey } from './profile-key.ts'
import { encryptStream, decryptStream, type Bytes } from './encrypt-stream.ts'
import { unpackProfile } from './unpack.ts'

/** Dependencies of `writeArchive` and `readArchive`. */
export interface ArchiveDeps {
  readonly blobs: Blobs
  readonly key: ProfileKey
  /** Maximum size of an uncompressed profile in bytes. */
  readonly quotaBytes: number
}

/** A stored profile: its blob, its key, and its size before and after compression. */
export interface Archive {
  readonly blob: string
  readonly keyId: string
  readonly contentBytes: number
  readonly storedBytes: number
}

/** Folder of all archives in the blob storage. */
export const archiveFolder = 'profiles'

/**
 * Stores a user-data-dir and its session cookies as a new blob: packed, compressed and encrypted.
 * Deletes the blob on failure.
 */
export async function writeArchive(
  { blobs, key, quotaBytes }: ArchiveDeps,
  profileId: string,
  from: { readonly userDataDir: string; readonly sessionCookiesJson: string },
): Promise<Archive> {
  const blob = `${archiveFolder}/${uuidV7()}`
  const packing = packProfile(from.userDataDir, from.sessionCookiesJson, quotaBytes)
  const compressed = createZstdCompress()
  let storedBytes = 0
  const encrypted = async function* (): AsyncGenerator<Buffer> {
    for await (const bytes of encryptStream(compressed as Bytes, key.bytes, bindingOf(profileId, blob))) {
      storedBytes += bytes.length
      yield bytes
    }
  }
  const [packed, written] = await Promise.allSettled([
    pipeline(packing.stream, compressed),
    blobs.write(blob, Readable.from(encrypted(), { objectMode: false })),
  ])
  if (packed.status === 'fulfilled' && written.status === 'fulfilled') {
    return { blob, keyId: key.id, contentBytes: packing.contentBytes(), storedBytes }
  }
  // Throw the error of the save. The sweep deletes the rest of the blob.
  await blobs.delete(blob).catch(() => undefined)
  // A failure of one half also closes the other. The cause is the error that is not just a closed
  // stream.
  const reasons = [packed, written].flatMap((half) => (half.status === 'rejected' ? [half.reason as unknown] : []))
  throw reasons.find((reason) => !isPrematureClose(reason)) ?? reasons[0]
}

/**
 * Restores an archive into an empty user-data-dir and returns its session cookies as JSON.
 * Throws PROFILE_UNREADABLE, PROFILE_STORAGE_UNAVAILABLE, PROFILE_TOO_LARGE, or STORE_UNAVAILABLE
 * if the disk is full.
 */
export async function readArchive(
  { blobs, key, quotaBytes }: ArchiveDeps,
  archive: { readonly profileId: string; readonly blob: string; readonly keyId: string },
  userDataDir: string,
): Promise<string> {
  const archiveKey = keyWithId(key, archive.keyId)
  if (archiveKey === undefined) {
    throw new BowlineError(
      'PROFILE_UNREADABLE',
      `The profile was encrypted with key ${archive.keyId}, but this server has key ${key.id}`,
      {
        hint: 'Start all servers that share profiles with the same `--profile-key`, and pass earlier keys with `--previous-profile-keys`.',
      },
    )
  }
  try {
    const source = (await blobs.read(archive.blob)) as Bytes
    const compressed = Readable.from(
      decryptStream(source, archiveKey.bytes, bindingOf(archive.profileId, archive.blob)),
    )
    const decompressed = createZstdDecompress()
    const [unpacked, piped] = await Promise.allSettled([
      unpackProfile(decompressed, userDataDir, quotaBytes),
      pipeline(compressed, decompressed),
    ])
    // A failure to decrypt or decompress reaches `unpacked` as well, with its cause. The reverse does not hold.
    if (unpacked.status === 'rejected') throw unpacked.reason
    if (piped.status === 'rejected') throw piped.reason
    return unpacked.value
  } catch (error) {
    if (isStoreUnavailable(error)) throw storageUnavailable(error)
    const cause = explainDiskFull(error)
    if (cause instanceof BowlineError) throw cause
    // `undefined` if the storage itself fails.
    const exists = await blobs.has(archive.blob).catch(() => undefined)
    if (exists === undefined) throw storageUnavailable(cause)
    if (!exists) throw missing(cause)
    const message = messageOf(cause)
    throw new BowlineError('PROFILE_UNREADABLE', `The saved profile could not be read: ${message}`, { cause })
  }
}

/**
 * Encrypts an archive with the current key, as a new blob. Returns the blob, or `undefined` if the
 * key of the archive is unknown. Throws PROFILE_UNREADABLE if the archive is damaged.
 */
export async function reencryptArchive(
  { blobs, key }: Pick<ArchiveDeps, 'blobs' | 'key'>,
  archive: { readonly profileId: string; readonly blob: string; readonly keyId: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const { profileId, blob: oldBlob } = archive
  const oldKey = keyWithId(key, archive.keyId)
  if (oldKey === undefined) return undefined
  const blob = `${archiveFolder}/${uuidV7()}`
  const source = (await blobs.read(oldBlob, signal)) as Bytes
  const compressed = decryptStream(source, oldKey.bytes, bindingOf(profileId, oldBlob))
  const encrypted = encryptStream(compressed, key.bytes, bindingOf(profileId, blob))
  try {
    await blobs.write(blob, Readable.from(encrypted, { objectMode: false }), signal)
    return blob
  } catch (error) {
    await blobs.delete(blob).catch(() => undefined)
    throw error
  }
}

/**
 * Creates the error for blob storage that does not respond or is full. Its address is only logged.
 */
export function storageUnavailable(cause: unknown, consequence?: string): BowlineError {
  const message = isStoreUnavailable(cause) ? messageOf(cause) : 'The storage of saved profiles does not respond'
  return new BowlineError(
    'PROFILE_STORAGE_UNAVAILABLE',
    consequence === undefined ? message : `${message}. ${consequence}`,
    { cause, retryAfterSeconds: 5 },
  )
}

function missing(cause: unknown): BowlineError {
  return new BowlineError('PROFILE_UNREADABLE', 'The saved profile is missing from the storage of this server', {
    cause,
    hint:
      'Another server may have saved it: servers on the same PostgreSQL need the same `--blobs s3://BUCKET`. If it is lost, ' +
      'roll back to another version: `bowline profiles rollback NAME VERSION`.',
  })
}

/** Binds an archive to its profile and blob, so that one archive cannot be swapped for another. */
function bindingOf(profileId: string, blob: string): string {
  return `${profileId} ${blob}`
}

function isPrematureClose(reason: unknown): boolean {
  return (
    Error.isError(reason) &&
    'code' in reason &&
    ['ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(String(reason.code))
  )
}
