import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { BowlineError } from '../kit/errors.ts'

const readAheadBytes = 256 * 1024

/** Contents to upload. */
export interface UploadSource {
  readonly body: ReadableStream<Uint8Array>
  readonly size?: number | undefined
  /** Name of the local file or `File`. */
  readonly name?: string | undefined
  /** Milliseconds since the epoch. */
  readonly modifiedAt?: number | undefined
}

/** Opens a local file, a Blob or a stream. Rejects with BAD_REQUEST for a directory. */
export async function openUploadSource(source: string | Blob | ReadableStream<Uint8Array>): Promise<UploadSource> {
  if (source instanceof Blob) {
    const { name, lastModified: modifiedAt } = source instanceof File ? source : {}
    return { body: source.stream(), size: source.size, name: name || undefined, modifiedAt }
  }
  if (typeof source !== 'string') return { body: source }
  const found = await stat(source)
  if (found.isDirectory()) {
    throw new BowlineError('BAD_REQUEST', `${source} is a directory`, {
      hint: 'Upload its files one by one, with the same `group`.',
    })
  }
  // Pipes and devices have no size. A file that grows during the upload is sent with its initial
  // size.
  const size = found.isFile() ? found.size : undefined
  const stream = size === 0 ? Readable.from([]) : createReadStream(source, size === undefined ? {} : { end: size - 1 })
  // Node's default strategy counts chunks instead of bytes, and would read the whole file ahead.
  const strategy = new ByteLengthQueuingStrategy({ highWaterMark: readAheadBytes })
  const modifiedAt = size === undefined ? undefined : found.mtimeMs
  const body = Readable.toWeb(stream, { strategy }) as ReadableStream<Uint8Array>
  return { body, size, name: basename(source), modifiedAt }
}
