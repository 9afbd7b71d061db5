import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { createZstdCompress, zstdCompress } from 'node:zlib'
import { encodeChunks } from '../../kit/encode-chunks.ts'

const compress = promisify(zstdCompress)

/**
 * Compresses chunks with Zstandard off the main thread, and encodes one chunk at a time to keep it
 * responsive.
 */
export async function compressChunks(chunks: Iterable<string | Uint8Array>): Promise<Buffer> {
  const iterator = chunks[Symbol.iterator]()
  const [first, second] = [iterator.next(), iterator.next()]
  const head = first.done === true ? '' : first.value
  // For a single chunk, a stream costs more than it saves.
  if (second.done === true) return compress(typeof head === 'string' ? Buffer.from(head) : head)
  const all = function* (): Generator<string | Uint8Array> {
    yield head
    yield second.value
    yield* { [Symbol.iterator]: () => iterator }
  }
  return buffer(Readable.from(encodeChunks(all()), { objectMode: false }).compose(createZstdCompress()))
}
