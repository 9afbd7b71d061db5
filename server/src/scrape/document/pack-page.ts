import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { branding } from 'bowline/contract/branding'
import { pageBlocks } from 'bowline/contract/document'
import { z } from 'zod'
import { textChunks } from '../../kit/json-chunks.ts'
import { json, JsonTable } from '../../store/tables/json-table.ts'
import type { LoadedPage, PageBody } from '../fetch/loaded-page.ts'
import { compressChunks } from './compress-chunks.ts'

const decompress = promisify(zstdDecompress)

const pdfContent = z.object({
  markdown: z.string(),
  pages: z.array(z.object({ pageNumber: z.number(), markdown: z.string(), blocks: pageBlocks.optional() })),
  totalPages: z.number(),
  title: z.string().optional(),
  isScanned: z.boolean().default(false),
  scannedPages: z.number().default(0),
  ocrPages: z.number().optional(),
})

const scrapes = new JsonTable('scrape', {
  page: json(
    z.object({
      url: z.string(),
      statusCode: z.number(),
      contentType: z.string().optional(),
      warning: z.string().optional(),
      branding: branding.optional(),
      body: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('html'), source: z.enum(['document', 'upload']).optional() }),
        z.object({ kind: z.literal('text'), language: z.string() }),
        z.object({ kind: z.literal('pdf') }),
        z.object({ kind: z.literal('pdf-text'), pdf: pdfContent, variant: z.string().optional() }),
        z.object({ kind: z.literal('image') }),
      ]),
    }),
  ),
})

/** The part of a body before its content. */
type BodyHeader = ReturnType<typeof scrapes.parse<'page'>>['body']

/** Packs a page: a line of JSON, then its content, compressed with Zstandard. */
export async function packPage({ body, ...page }: LoadedPage): Promise<Buffer> {
  const [header, content] = splitBody(body)
  const { url, statusCode, contentType, warning, branding: look } = page
  const head = JSON.stringify({ url, statusCode, contentType, warning, branding: look, body: header })
  // One chunk for most pages, since several need a stream.
  return compressChunks(typeof content === 'string' ? textChunks(`${head}\n${content}`) : [`${head}\n`, content])
}

/** Reads the packed page of a scrape. Throws STORED_VALUE_INVALID. */
export async function unpackPage(id: string, packed: Uint8Array): Promise<LoadedPage> {
  const bytes = await decompress(packed)
  const end = bytes.indexOf('\n')
  const { contentType, body, ...head } = scrapes.parse('page', bytes.toString('utf8', 0, end), { id })
  return { ...head, contentType, body: joinBody(body, bytes.subarray(end + 1)) }
}

function splitBody(body: PageBody): readonly [header: object, content: Uint8Array | string] {
  switch (body.kind) {
    case 'html':
      return [{ kind: body.kind, source: body.source }, body.html]
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

function joinBody(header: BodyHeader, content: Buffer): PageBody {
  switch (header.kind) {
    case 'html':
      return { ...header, html: content.toString() }
    case 'text':
      return { ...header, text: content.toString() }
    case 'pdf':
      return { kind: header.kind, bytes: content }
    case 'pdf-text':
      return { ...header, pdf: { ...header.pdf, title: header.pdf.title } }
    case 'image':
      return header
    default:
      return header satisfies never
  }
}
