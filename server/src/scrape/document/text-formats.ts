import type { Document } from 'bowline/contract/document'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import { escapeHtml } from '../../kit/escape-html.ts'
import type { Semaphore } from '../../kit/semaphore.ts'
import type { LoadedPage, PageBody } from '../fetch/loaded-page.ts'
import type { ProcessedHtml } from '../format/process-html.ts'
import { firstPages, parsePdf, type PdfContent } from '../parse/pdf/parse-pdf.ts'

/** Formats that are plain text, and the metadata of the page. */
export interface TextFormats {
  readonly formats: Pick<
    Document,
    'markdown' | 'html' | 'rawHtml' | 'links' | 'images' | 'attributes' | 'product' | 'rawBase64'
  >
  readonly metadata: Readonly<Record<string, unknown>>
  /** Always present, since other formats are made from Markdown. */
  readonly markdown: string
  /** Number of pages to bill. */
  readonly pages: number
  readonly warning?: string | undefined
  /** The page body to store in the cache. A parsed PDF is stored as its text. */
  readonly stored: PageBody
}

/** Makes the text formats of a loaded page. Throws PDF_*, or the signal's reason. */
export async function makeTextFormats(
  request: ScrapeRequest,
  page: LoadedPage,
  processed: ProcessedHtml | undefined,
  deps: { readonly signal: AbortSignal; readonly pdfSlots: Semaphore },
): Promise<TextFormats> {
  const { body } = page
  if (request.formats.some(({ type }) => type === 'rawBase64')) return rawImage(page)
  const wants = (type: ScrapeRequest['formats'][number]['type']): boolean =>
    request.formats.some((format) => format.type === type)
  const pick = (all: TextFormats['formats']): TextFormats['formats'] =>
    Object.fromEntries(Object.entries(all).filter(([name, value]) => value !== undefined && wants(name as 'markdown')))
  // Pages that are not HTML have no elements.
  const selectors = request.formats.find((format) => format.type === 'attributes')?.selectors ?? []
  const attributes = selectors.map(({ selector, attribute }) => ({ selector, attribute, values: [] }))
  const plain = (text: string, markdown: string): TextFormats => ({
    formats: pick({ markdown, html: text, rawHtml: text, links: [], images: [], attributes, product: null }),
    metadata: {},
    markdown,
    pages: 1,
    stored: body,
  })
  switch (body.kind) {
    case 'html': {
      const all = { ...processed, rawHtml: body.html, product: processed?.product ?? null } as TextFormats['formats']
      return {
        formats: pick(all),
        metadata: { ...processed?.metadata, ...(body.source !== undefined && onePage) },
        markdown: all.markdown ?? '',
        pages: 1,
        stored: body,
        warning: processed?.warning,
      }
    }
    case 'text': {
      const all = plain(body.text, body.language === '' ? body.text : fenced(body.text, body.language))
      return body.source === undefined ? all : { ...all, metadata: onePage }
    }
    case 'image': {
      const all = plain(`<img src="${escapeHtml(page.url)}">`, `![](${page.url})\n`)
      return { ...all, formats: { ...all.formats, ...(wants('images') && { images: [page.url] }) } }
    }
    case 'pdf': {
      const [parser] = request.parsers
      if (parser === undefined) {
        const base64 = Buffer.from(body.bytes).toString('base64')
        return plain(base64, base64)
      }
      const { signal, pdfSlots: slots } = deps
      const pdf = await parsePdf(body.bytes, { maxPages: parser.maxPages, signal, slots, timeoutMs: 120_000 })
      return pdfFormats(pdf, parser.maxPages, plain)
    }
    case 'pdf-text':
      return pdfFormats(firstPages(body.pdf, request.parsers[0]?.maxPages), request.parsers[0]?.maxPages, plain)
    default:
      return body satisfies never
  }
}

/** Metadata of a file without pages. */
const onePage = { numPages: 1, totalPages: 1 } as const

/**
 * Returns the image at the URL as a data URI. Throws SCRAPE_UNSUPPORTED_FILE_ERROR for other kinds
 * of pages.
 */
function rawImage({ url, contentType = '', body }: LoadedPage): TextFormats {
  if (body.kind !== 'image' || body.bytes === undefined) {
    throw new BowlineError('SCRAPE_UNSUPPORTED_FILE_ERROR', `${url} is not an image`, {
      hint: 'The format rawBase64 is for images. Use other formats for pages and documents.',
    })
  }
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const rawBase64 = `data:${type};base64,${Buffer.from(body.bytes).toString('base64')}`
  return { formats: { rawBase64 }, metadata: {}, markdown: '', pages: 1, stored: { kind: 'image' } }
}

function pdfFormats(
  pdf: PdfContent,
  maxPages: number | undefined,
  plain: (text: string, markdown: string) => TextFormats,
): TextFormats {
  return {
    ...plain(pdf.markdown, pdf.markdown),
    metadata: { title: pdf.title, numPages: pdf.pages.length, totalPages: pdf.totalPages },
    pages: pdf.pages.length,
    warning: pdfWarning(pdf, maxPages),
    stored: { kind: 'pdf-text', pdf },
  }
}

function pdfWarning({ isScanned, pages, totalPages }: PdfContent, maxPages: number | undefined): string | undefined {
  if (isScanned) return 'The PDF contains scanned images: there is little or no text without OCR.'
  if (maxPages !== undefined || pages.length === totalPages) return undefined
  return `The PDF has ${totalPages} pages, of which the first ${pages.length} were read.`
}

function fenced(text: string, language: string): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [fence]) => Math.max(most, fence.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.trimEnd()}\n${fence}\n`
}
