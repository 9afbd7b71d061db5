import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import type { Document } from 'bowline/contract/document'
import { jsonChunks } from '../../kit/json-chunks.ts'
import { compressChunks } from './compress-chunks.ts'

const decompress = promisify(zstdDecompress)

/** Serializes a document to JSON and compresses it with Zstandard, off the main thread. */
export async function packDocument(document: Document): Promise<Buffer> {
  return compressChunks(jsonChunks(document))
}

const brace = 0x7b

/** Reads a packed document. Also accepts uncompressed JSON, which earlier versions stored. */
export async function unpackDocument(bytes: Uint8Array): Promise<Document> {
  const json = bytes[0] === brace ? bytes : await decompress(bytes)
  return JSON.parse(Buffer.from(json).toString()) as Document
}
