import { Readable, pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { declaredCharset } from '../kit/declared-charset.ts'
import { textCharset } from '../kit/text-charset.ts'

/** Characters handed on at a time: what reads them can stop between two pieces. */
const pieceLength = 16_384

/**
 * Unpacks gzip, detected by its first bytes and not by a name, and ends after `maxBytes`. Anything else passes unchanged.
 * Calls `onCut` when there were more bytes.
 */
export async function* unpack(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onCut?: () => void,
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
  const whole = joined(head, chunks)
  if (first !== 0x1f || second !== 0x8b) {
    yield* whole
    return
  }
  const gunzip = createGunzip()
  // The error reaches the reader of `gunzip`.
  const unpacked = pipeline(Readable.from(whole), gunzip, () => {})
  let left = maxBytes
  for await (const chunk of unpacked as AsyncIterable<Uint8Array>) {
    if (left > 0) yield chunk.subarray(0, left)
    left -= chunk.byteLength
    if (left < 0) {
      onCut?.()
      return
    }
  }
}

/** Bytes of a text that names no charset from which it is told. */
const judgedBytes = 65_536

/** Text in pieces of at most 16,384 characters, in the charset that it names, else in the one that its start looks like. */
export async function* decodeText(chunks: AsyncIterable<Uint8Array>, contentType?: string): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined
  let head: Buffer = Buffer.alloc(0)
  const wholeHead = (): string => new TextDecoder(textCharset(head, contentType)).decode(head)
  try {
    for await (const chunk of chunks) {
      if (decoder !== undefined) {
        yield* pieces(decoder.decode(chunk, { stream: true }))
        continue
      }
      head = Buffer.concat([head, chunk])
      const declared = declaredCharset(head, contentType)
      if (declared === undefined && head.length < judgedBytes) continue
      decoder = new TextDecoder(declared ?? textCharset(head.subarray(0, wholeLength(head)), contentType))
      yield* pieces(decoder.decode(head, { stream: true }))
    }
  } catch (error) {
    // What came before the transfer broke off counts.
    if (decoder === undefined) yield* pieces(wholeHead())
    throw error
  }
  yield* pieces(decoder === undefined ? wholeHead() : decoder.decode())
}

/** The length without a character that the next chunk may complete. */
function wholeLength(bytes: Uint8Array): number {
  return bytes.findLastIndex((byte) => byte < 0x80) + 1 || bytes.length
}

/** Text in such pieces. */
export function* pieces(text: string): Generator<string> {
  for (let start = 0; start < text.length; start += pieceLength) yield text.slice(start, start + pieceLength)
}

async function* joined(head: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
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
