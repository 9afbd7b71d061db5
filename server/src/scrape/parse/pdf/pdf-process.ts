// Program that reads a PDF or an image from stdin and writes a PdfResult to stdout. Its argument is
// a PdfJob. It runs in its own process, since a native parser may crash on a hostile file.
import { buffer } from 'node:stream/consumers'
import { isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import type { PdfJob, PdfPage, PdfResult } from './pdf-result.ts'
import { readWithLiteparse } from './read-with-liteparse.ts'

async function readWithUnpdf(bytes: Buffer, { maxPages, wantsBlocks }: PdfJob): Promise<PdfResult> {
  const { getDocumentProxy } = await import('unpdf')
  const document = await getDocumentProxy(new Uint8Array(bytes))
  const last = Math.min(maxPages, document.numPages)
  const pages: PdfPage[] = []
  for (let pageNumber = 1; pageNumber <= last; pageNumber++) {
    const page = await document.getPage(pageNumber)
    const { items } = await page.getTextContent()
    const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
    const { width, height } = page.getViewport({ scale: 1 })
    const blocks = { pageNumber, width, height, status: 'unavailable' as const, items: [] }
    pages.push({ pageNumber, markdown: text.trim(), ...(wantsBlocks && { blocks }) })
  }
  const isScanned = pages.length > 0 && pages.every(({ markdown }) => markdown.length < 20)
  const scannedPages = isScanned ? pages.length : 0
  return { kind: 'read', pages, totalPages: document.numPages, title: undefined, isScanned, scannedPages, ocrPages: 0 }
}

/** Falls back to unpdf if liteparse, which finds headings and tables, is not installed. */
async function readWithBest(bytes: Buffer, job: PdfJob): Promise<PdfResult> {
  try {
    return await readWithLiteparse(bytes, job)
  } catch (error) {
    if (!isBowlineError(error) || error.code !== 'PACKAGE_MISSING') throw error
    const needsOcr = job.kind === 'image' || job.mode === 'ocr'
    return needsOcr ? { kind: 'noOcr', message: error.message } : readWithUnpdf(bytes, job)
  }
}

function toFailure(error: unknown): PdfResult {
  const message = messageOf(error).replace(/^(?:PDF error: )/, '')
  if (/password|encrypted/i.test(message)) return { kind: 'encrypted' }
  if (
    /invalid pdf|pdf format|page not found|corrupt|file format|xref|trailer|not contain any pages|image error|unsupported/i.test(
      message,
    )
  )
    return { kind: 'invalid', message }
  return { kind: 'failed', message }
}

const job = JSON.parse(process.argv[2] ?? '') as PdfJob
const bytes = await buffer(process.stdin)
const read = job.reader === 'unpdf' ? readWithUnpdf : readWithBest
const result = await read(bytes, job).catch(toFailure)
process.stdout.write(JSON.stringify(result))
