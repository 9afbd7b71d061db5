import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createInflate, createGunzip, createZstdDecompress } from 'node:zlib'

/** A body that was read as far as it may go. */
export interface ReadBody {
  readonly bytes: Buffer
  /** Whether there was more than the limit. */
  readonly isCut: boolean
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

/** Reads and decompresses a body, at most `maxBytes` of it: what a small answer unpacks to is counted, not what it weighs. */
export const readAnswer = async (body: Readable, encoding: string, maxBytes: number): Promise<ReadBody> => {
  const steps = encoding
    .toLowerCase()
    .split(',')
    .map((name) => decoders.get(name.trim()))
    .filter((step) => step !== undefined)
    .toReversed()
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
      if (length > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isCut: true }
    }
    return { bytes: Buffer.concat(chunks), isCut: false }
  } finally {
    body.destroy()
  }
}
