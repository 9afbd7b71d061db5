import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import type { Blobs } from '../store/blobs.ts'
import { packProfile } from './pack.ts'
import type { ProfileKey } from './profile-key.ts'
import { encryptStream, unseal, type Bytes } from './encrypt-stream.ts'
import { unpackProfile } from './unpack.ts'

/** What archives are made with. */
export interface ArchiveDeps {
  readonly blobs: Blobs
  readonly key: ProfileKey
  /** Most bytes of a profile before it is compressed. */
  readonly quotaBytes: number
}

/** Where a profile was written, and how large it is before and after compression. */
export interface Archive {
  readonly blob: string
  readonly keyId: string
  readonly contentBytes: number
  readonly storedBytes: number
}

/** The folder of all archives among the blobs. */
export const archiveFolder = 'profiles'

/** Writes a user-data-dir and its extras as a new blob: packed, compressed, encrypted. Leaves nothing when it fails. */
export async function writeArchive(
  { blobs, key, quotaBytes }: ArchiveDeps,
  profileId: string,
  from: { readonly userDataDir: string; readonly extras: string },
): Promise<Archive> {
  const blob = `${archiveFolder}/${uuidV7()}`
  const packing = packProfile(from.userDataDir, from.extras, quotaBytes)
  const compressed = createZstdCompress()
  let storedBytes = 0
  const sealed = async function* (): AsyncGenerator<Buffer> {
    for await (const bytes of encryptStream(compressed as Bytes, key.bytes, contextOf(profileId, blob))) {
      storedBytes += bytes.length
      yield bytes
    }
  }
  const [packed, written] = await Promise.allSettled([
    pipeline(packing.stream, compressed),
    blobs.write(blob, Readable.from(sealed(), { objectMode: false })),
  ])
  if (packed.status === 'fulfilled' && written.status === 'fulfilled') {
    return { blob, keyId: key.id, contentBytes: packing.contentBytes(), storedBytes }
  }
  await blobs.delete(blob).catch(() => undefined)
  // Each failure ends the other half, too; the first cause is the one that is no mere end of a stream.
  const reasons = [packed, written].flatMap((half) => (half.status === 'rejected' ? [half.reason as unknown] : []))
  throw reasons.find((reason) => !isPrematureClose(reason)) ?? reasons[0]
}

/** Restores an archive into an empty user-data-dir and answers its extras. Throws PROFILE_UNREADABLE, PROFILE_STORAGE_UNAVAILABLE, PROFILE_TOO_LARGE. */
export async function readArchive(
  { blobs, key, quotaBytes }: ArchiveDeps,
  archive: { readonly profileId: string; readonly blob: string; readonly keyId: string },
  userDataDir: string,
): Promise<string> {
  if (archive.keyId !== key.id) {
    throw new BowlineError(
      'PROFILE_UNREADABLE',
      `The profile was encrypted with key ${archive.keyId}; this server has key ${key.id}`,
      { hint: 'Give every server that shares profiles the same `--profile-key`.' },
    )
  }
  try {
    const source = (await blobs.read(archive.blob)) as Bytes
    const compressed = Readable.from(unseal(source, key.bytes, contextOf(archive.profileId, archive.blob)))
    const plain = createZstdDecompress()
    const [unpacked, piped] = await Promise.allSettled([
      unpackProfile(plain, userDataDir, quotaBytes),
      pipeline(compressed, plain),
    ])
    // A failure to decrypt or decompress reaches `unpacked` as well, with its cause. The reverse does not hold.
    if (unpacked.status === 'rejected') throw unpacked.reason
    if (piped.status === 'rejected') throw piped.reason
    return unpacked.value
  } catch (cause) {
    if (cause instanceof BowlineError) throw cause
    const isThere = await blobs.has(archive.blob).catch(() => undefined)
    if (isThere === undefined) throw storageAway(cause)
    if (!isThere) throw missing(cause)
    const message = Error.isError(cause) ? cause.message : String(cause)
    throw new BowlineError('PROFILE_UNREADABLE', `The saved profile could not be read: ${message}`, { cause })
  }
}

/** The error for a bucket or folder that does not answer. Its address is for the log of the server alone. */
export function storageAway(cause: unknown, consequence?: string): BowlineError {
  const message = 'The storage of saved profiles does not respond'
  return new BowlineError(
    'PROFILE_STORAGE_UNAVAILABLE',
    consequence === undefined ? message : `${message}. ${consequence}`,
    { cause, retryAfterSeconds: 5 },
  )
}

function missing(cause: unknown): BowlineError {
  return new BowlineError('PROFILE_UNREADABLE', 'The saved profile is not where this server keeps profiles', {
    cause,
    hint:
      'Another server may have saved it: those on one PostgreSQL need the same `--blobs s3://BUCKET`. If it is lost, ' +
      'roll back to another version: `bowline profiles rollback NAME VERSION`.',
  })
}

/** An archive cannot be passed off as another, even by who can write blobs. */
function contextOf(profileId: string, blob: string): string {
  return `${profileId} ${blob}`
}

function isPrematureClose(reason: unknown): boolean {
  return (
    Error.isError(reason) &&
    'code' in reason &&
    ['ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR'].includes(String(reason.code))
  )
}
