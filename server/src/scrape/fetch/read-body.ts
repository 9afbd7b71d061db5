import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createInflate, createGunzip, createZstdDecompress } from 'node:zlib'
import { BowlineError } from 'bowline/kit/errors'

/** A body that was read as far as it may go. */
export interface ReceivedBody {
  readonly bytes: Buffer
  /** Whether there was more than the limit. */
  readonly isTruncated: boolean
}

const decoders: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = new Map(
  Object.entries<() => NodeJS.ReadWriteStream>({
    gzip: createGunzip,
    'x-gzip': createGunzip,
    deflate: createInflate,
    br: createBrotliDecompress,
    zstd: createZstdDecompress,
  }),
)

/** Content codings of one body that are decoded. Each costs a decoder, and a header has room for thousands of names. */
const maxCodings = 5

/**
 * Reads and decompresses a body, at most `maxBytes` of it: what a small answer unpacks to is counted, not what it weighs.
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
  // Its errors come out of the loop below.
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
