import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { textChunks } from '../../kit/json-chunks.ts'
import type { LoadedPage, PageBody } from '../fetch/loaded-page.ts'
import { compressChunks } from './compress-chunks.ts'

const decompress = promisify(zstdDecompress)

/**
 * Packs a page: a line of JSON, then its content, compressed with Zstandard off the main thread.
 */
export async function packPage({ url, statusCode, contentType, warning, body }: LoadedPage): Promise<Buffer> {
  const [header, content] = splitBody(body)
  const head = JSON.stringify({ url, statusCode, contentType, warning, body: header })
  return compressChunks([`${head}\n`, ...(typeof content === 'string' ? textChunks(content) : [content])])
}

/** Reads a packed page. */
export async function unpackPage(packed: Uint8Array): Promise<LoadedPage> {
  const bytes = await decompress(packed)
  const end = bytes.indexOf('\n')
  const head = JSON.parse(bytes.toString('utf8', 0, end)) as Omit<LoadedPage, 'body'> & { readonly body: PageBody }
  return { ...head, body: joinBody(head.body, bytes.subarray(end + 1)) }
}

function splitBody(body: PageBody): readonly [header: object, content: Uint8Array | string] {
  switch (body.kind) {
    case 'html':
      return [{ kind: body.kind }, body.html]
    case 'text':
      return [{ kind: body.kind, language: body.language }, body.text]
    case 'pdf':
      return [{ kind: body.kind }, body.bytes]
    case 'pdf-text':
    case 'image':
      return [body, '']
    default:
      return body satisfies never
  }
}

function joinBody(header: PageBody, content: Buffer): PageBody {
  switch (header.kind) {
    case 'html':
      return { kind: header.kind, html: content.toString() }
    case 'text':
      return { ...header, text: content.toString() }
    case 'pdf':
      return { kind: header.kind, bytes: content }
    case 'pdf-text':
    case 'image':
      return header
    default:
      return header satisfies never
  }
}
