import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib'
import { BowlineError } from 'bowline/kit/errors'
import { DeflateDecoder } from './deflate-decoder.ts'

/** A response body, up to the size limit. */
export interface ReceivedBody {
  readonly bytes: Buffer
  /** Whether the body was longer than the limit. */
  readonly isTruncated: boolean
}

const decoders: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = new Map(
  Object.entries<() => NodeJS.ReadWriteStream>({
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: () => new DeflateDecoder(),
    br: createBrotliDecompress,
    zstd: createZstdDecompress,
  }),
)

/**
 * Maximum number of content codings. Each needs a decoder, and a hostile header may list thousands.
 */
const maxCodings = 5

/**
 * Reads and decompresses up to `maxBytes` of a body, counted after decompression.
 * Throws SCRAPE_SITE_ERROR for a body with more than five content codings.
 */
export async function readBody(body: Readable, encoding: string, maxBytes: number): Promise<ReceivedBody> {
  const steps = encoding
    .toLowerCase()
    .split(',')
    .map((name) => decoders.get(name.trim()))
    .filter((step) => step !== undefined)
    .toReversed()
  if (steps.length > maxCodings) {
    body.on('error', () => undefined).destroy()
    throw new BowlineError(
      'SCRAPE_SITE_ERROR',
      `The response has ${steps.length} content codings; at most ${maxCodings} are decoded`,
    )
  }
  const streams = [body, ...steps.map((step) => step())]
  const last = streams.at(-1) as Readable
  // The loop below throws its errors.
  if (steps.length > 0) pipeline(streams, () => undefined)
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of last as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (length > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isTruncated: true }
    }
    return { bytes: Buffer.concat(chunks), isTruncated: false }
  } finally {
    body.destroy()
  }
}
