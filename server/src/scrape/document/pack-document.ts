import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { document, type Document } from 'bowline/contract/document'
import { jsonChunks } from '../../kit/json-chunks.ts'
import { json, JsonTable } from '../../store/tables/json-table.ts'
import { compressChunks } from './compress-chunks.ts'

const decompress = promisify(zstdDecompress)

const scrapes = new JsonTable('scrape', { document: json(document) })

/** Serializes a document to JSON and compresses it with Zstandard. */
export async function packDocument(document: Document): Promise<Buffer> {
  return compressChunks(jsonChunks(document))
}

const brace = 0x7b

/**
 * Reads the packed document of a scrape. Also accepts uncompressed JSON, which earlier versions
 * stored. Throws STORED_VALUE_INVALID.
 */
export async function unpackDocument(id: string, bytes: Uint8Array): Promise<Document> {
  const text = bytes[0] === brace ? bytes : await decompress(bytes)
  return scrapes.parse('document', Buffer.from(text).toString(), { id })
}
