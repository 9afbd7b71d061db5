import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import type { Document } from 'bowline/contract/document'
import { jsonChunks } from '../../kit/json-chunks.ts'
import { compressPieces } from './compress-pieces.ts'

const decompress = promisify(zstdDecompress)

/** A document as bytes: JSON, compressed with Zstandard, off the thread of the server. */
export async function packDocument(document: Document): Promise<Buffer> {
  return compressPieces(jsonChunks(document))
}

const brace = 0x7b

/** The document in such bytes. Those that begin as JSON are taken for JSON that nobody has compressed. */
export async function unpackDocument(bytes: Uint8Array): Promise<Document> {
  const json = bytes[0] === brace ? bytes : await decompress(bytes)
  return JSON.parse(Buffer.from(json).toString()) as Document
}
