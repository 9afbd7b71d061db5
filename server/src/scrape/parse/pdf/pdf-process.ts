// Program that reads a PDF from stdin and writes a PdfResult to stdout. Arguments: the parser, and
// the maximum number of pages (0 = all). It runs in its own process, since a native parser may
// crash on a hostile file.
import { buffer } from 'node:stream/consumers'
import { isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { loadOptional } from '../../../kit/optional-package.ts'
import { dropRunningLines } from './drop-running-lines.ts'
import type { PdfResult } from './pdf-result.ts'

async function readWithLiteparse(bytes: Buffer, maxPages: number): Promise<PdfResult> {
  const { LiteParse } = await loadOptional(
    '@llamaindex/liteparse',
    'headings and tables of PDFs',
    async () => import('@llamaindex/liteparse'),
  )
  const parser = new LiteParse({
    // OCR would need tesseract and its data on this machine.
    ocrEnabled: false,
    outputFormat: 'markdown',
    imageMode: 'off',
    // The parser ignores digits when it compares headers, so it would drop "Chapter 2" after "Chapter 1".
    keepHeadersFooters: true,
    continueOnPageError: true,
    extractDocumentMetadata: true,
    quiet: true,
    ...(maxPages > 0 && { maxPages }),
  })
  const result = await parser.parse(bytes)
  const pages = dropRunningLines(
    result.pages.map((page) => ({ pageNumber: page.pageNum, markdown: page.markdown ?? page.text })),
  )
  return {
    kind: 'read',
    pages,
    totalPages: result.totalPages,
    title: titleOf(result.docMeta?.xmp),
    isScanned: hasNoText(pages),
  }
}

async function readWithUnpdf(bytes: Buffer, maxPages: number): Promise<PdfResult> {
  const { getDocumentProxy } = await import('unpdf')
  const document = await getDocumentProxy(new Uint8Array(bytes))
  const last = maxPages > 0 ? Math.min(maxPages, document.numPages) : document.numPages
  const pages: { pageNumber: number; markdown: string }[] = []
  for (let pageNumber = 1; pageNumber <= last; pageNumber++) {
    const page = await document.getPage(pageNumber)
    const { items } = await page.getTextContent()
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
    pages.push({ pageNumber, markdown: text.trim() })
  }
  return { kind: 'read', pages, totalPages: document.numPages, title: undefined, isScanned: hasNoText(pages) }
}

/** Falls back to unpdf if liteparse, which finds headings and tables, is not installed. */
async function readWithBest(bytes: Buffer, maxPages: number): Promise<PdfResult> {
  try {
    return await readWithLiteparse(bytes, maxPages)
  } catch (error) {
    if (isBowlineError(error) && error.code === 'PACKAGE_MISSING') return readWithUnpdf(bytes, maxPages)
    throw error
  }
}

function hasNoText(pages: readonly { readonly markdown: string }[]): boolean {
  return pages.length > 0 && pages.every((page) => page.markdown.trim().length < 20)
}

function titleOf(xmp: string | undefined): string | undefined {
  return /<dc:title>\s*<rdf:Alt>\s*<rdf:li[^>]*>([^<]+)</.exec(xmp ?? '')?.[1]?.trim()
}

function toFailure(error: unknown): PdfResult {
  const message = messageOf(error).replace(/^(?:PDF error: )/, '')
  if (/password|encrypted/i.test(message)) return { kind: 'encrypted' }
  if (/invalid pdf|pdf format|page not found|corrupt|file format|xref|trailer|not contain any pages/i.test(message))
    return { kind: 'invalid', message }
  return { kind: 'failed', message }
}

const [, , reader, maxPages = '0'] = process.argv
const bytes = await buffer(process.stdin)
const read = reader === 'unpdf' ? readWithUnpdf : readWithBest
const result = await read(bytes, Number(maxPages)).catch(toFailure)
process.stdout.write(JSON.stringify(result))
