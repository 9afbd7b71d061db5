import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { createZstdCompress, zstdCompress, zstdCompressSync } from 'node:zlib'
import { encodeChunks } from '../../kit/encode-chunks.ts'

const compress = promisify(zstdCompress)

/**
 * Size in bytes up to which data is compressed on the main thread, in 0.2 ms or less. For small
 * data, another thread takes several times the CPU time, and the main thread not much less.
 */
const maxSyncBytes = 65_536

/**
 * Compresses chunks with Zstandard, large ones off the main thread, and encodes one chunk at a time
 * to keep it responsive.
 */
export async function compressChunks(chunks: Iterable<string | Uint8Array>): Promise<Buffer> {
  const iterator = chunks[Symbol.iterator]()
  const [first, second] = [iterator.next(), iterator.next()]
  const head = first.done === true ? '' : first.value
  // For a single chunk, a stream costs more than it saves.
  if (second.done === true) {
    const bytes = typeof head === 'string' ? Buffer.from(head) : head
    return bytes.length <= maxSyncBytes ? zstdCompressSync(bytes) : compress(bytes)
  }
  const all = function* (): Generator<string | Uint8Array> {
    yield head
    yield second.value
    yield* { [Symbol.iterator]: () => iterator }
  }
  return buffer(Readable.from(encodeChunks(all()), { objectMode: false }).compose(createZstdCompress()))
}
