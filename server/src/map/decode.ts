import { Readable, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { declaredCharset } from '../kit/declared-charset.ts'
import { textCharset } from '../kit/text-charset.ts'

/** Maximum length of a chunk in characters. Readers can stop between two chunks. */
const chunkLength = 16_384

/**
 * Decompresses gzip, detected by its magic bytes instead of a name, up to `maxBytes`. Other data
 * passes unchanged. Calls `onTruncated` if there were more bytes.
 */
export async function* gunzipIfNeeded(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onTruncated?: () => void,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  const head: Uint8Array[] = []
  let length = 0
  while (length < 2) {
    const { done, value } = await chunks.next()
    if (done === true) break
    head.push(value)
    length += value.byteLength
  }
  const [first, second] = Buffer.concat(head)
  const whole = concatenated(head, chunks)
  if (first !== 0x1f || second !== 0x8b) {
    yield* whole
    return
  }
  const gunzip = createGunzip()
  // Errors reach the reader of `gunzip`.
  const decompressed = pipeline(Readable.from(whole), gunzip, () => {})
  let left = maxBytes
  for await (const chunk of decompressed as AsyncIterable<Uint8Array>) {
    if (left > 0) yield chunk.subarray(0, left)
    left -= chunk.byteLength
    if (left < 0) {
      onTruncated?.()
      return
    }
  }
}

/** Number of bytes used to detect the charset of a text that does not declare one. */
const sniffedBytes = 65_536

/**
 * Decodes text into chunks of at most 16,384 characters, in its declared charset or else the one
 * detected from its start.
 */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>, contentType?: string): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let head: Buffer = Buffer.alloc(0)
  const decodeHead = (): string => new TextDecoder(textCharset(head, contentType)).decode(head)
  try {
    for await (const chunk of chunks) {
      if (decoder !== undefined) {
        yield* chunksOf(decoder.decode(chunk, { stream: true }))
        continue
      }
      head = Buffer.concat([head, chunk])
      const declared = declaredCharset(head, contentType)
      if (declared === undefined && head.length < sniffedBytes) continue
      decoder = new TextDecoder(declared ?? textCharset(head.subarray(0, completeLength(head)), contentType))
      yield* chunksOf(decoder.decode(head, { stream: true }))
    }
  } catch (error) {
    // Keep the text received before the transfer failed.
    if (decoder === undefined) yield* chunksOf(decodeHead())
    throw error
  }
  yield* chunksOf(decoder === undefined ? decodeHead() : decoder.decode())
}

/** Returns the length without a trailing character that the next chunk may complete. */
function completeLength(bytes: Uint8Array): number {
  return bytes.findLastIndex((byte) => byte < 0x80) + 1 || bytes.length
}

/** Splits a text into chunks of at most 16,384 characters. */
export function* chunksOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += chunkLength) yield text.slice(start, start + chunkLength)
}

async function* concatenated(head: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* head
    for (;;) {
      const { done, value } = await rest.next()
      if (done === true) return
      yield value
    }
  } finally {
    await rest.return?.()
  }
}
