import type { Document } from 'bowline/contract/document'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import type { Semaphore } from '../../kit/semaphore.ts'
import type { LoadedPage, PageBody } from '../fetch/loaded-page.ts'
import type { PageResult } from '../format/process-html.ts'
import { firstPages, parsePdf, type PdfContent } from '../parse/pdf/parse-pdf.ts'

/** The formats that are text, and what a page says about itself. */
export interface TextFormats {
  readonly formats: Pick<Document, 'markdown' | 'html' | 'rawHtml' | 'links' | 'images' | 'attributes'>
  readonly metadata: Readonly<Record<string, unknown>>
  /** Markdown even when it is not asked for: other formats are made from it. */
  readonly markdown: string
  /** Pages that are billed. */
  readonly pages: number
  readonly warning?: string | undefined
  /** The page as it is stored: a PDF that was read need not be read again. */
  readonly stored: PageBody
}

/** Turns a loaded page into the text formats. Throws PDF_*, or the signal's reason. */
export async function makeTextFormats(
  request: ScrapeRequest,
  page: LoadedPage,
  reading: PageResult | undefined,
  deps: { readonly signal: AbortSignal; readonly pdfSlots: Semaphore },
): Promise<TextFormats> {
  const { body } = page
  const wants = (type: ScrapeRequest['formats'][number]['type']): boolean =>
    request.formats.some((format) => format.type === type)
  const pick = (all: TextFormats['formats']): TextFormats['formats'] =>
    Object.fromEntries(Object.entries(all).filter(([name, value]) => value !== undefined && wants(name as 'markdown')))
  // There are no elements in it.
  const selectors = request.formats.find((format) => format.type === 'attributes')?.selectors ?? []
  const attributes = selectors.map(({ selector, attribute }) => ({ selector, attribute, values: [] }))
  const plain = (text: string, markdown: string): TextFormats => ({
    formats: pick({ markdown, html: text, rawHtml: text, links: [], images: [], attributes }),
    metadata: {},
    markdown,
    pages: 1,
    stored: body,
  })
  switch (body.kind) {
    case 'html': {
      const made = { ...reading, rawHtml: body.html } as TextFormats['formats']
      return {
        formats: pick(made),
        metadata: reading?.metadata ?? {},
        markdown: made.markdown ?? '',
        pages: 1,
        stored: body,
        warning: reading?.warning,
      }
    }
    case 'text':
      return plain(body.text, body.language === '' ? body.text : fenced(body.text, body.language))
    case 'image': {
      const all = plain(`<img src="${page.url.replaceAll('"', '&quot;')}">`, `![](${page.url})\n`)
      return { ...all, formats: { ...all.formats, ...(wants('images') && { images: [page.url] }) } }
    }
    case 'pdf': {
      const [parser] = request.parsers
      if (parser === undefined) {
        const base64 = Buffer.from(body.bytes).toString('base64')
        return plain(base64, base64)
      }
      const { signal, pdfSlots: places } = deps
      const pdf = await parsePdf(body.bytes, { maxPages: parser.maxPages, signal, places, timeoutMs: 120_000 })
      return showPdf(pdf, parser.maxPages, plain)
    }
    case 'pdf-text':
      return showPdf(firstPages(body.pdf, request.parsers[0]?.maxPages), request.parsers[0]?.maxPages, plain)
    default:
      return body satisfies never
  }
}

function showPdf(
  pdf: PdfContent,
  maxPages: number | undefined,
  plain: (text: string, markdown: string) => TextFormats,
): TextFormats {
  return {
    ...plain(pdf.markdown, pdf.markdown),
    metadata: { title: pdf.title, numPages: pdf.pages.length, totalPages: pdf.totalPages },
    pages: pdf.pages.length,
    warning: warningOf(pdf, maxPages),
    stored: { kind: 'pdf-text', pdf },
  }
}

function warningOf({ isScanned, pages, totalPages }: PdfContent, maxPages: number | undefined): string | undefined {
  if (isScanned) return 'The PDF holds pictures of text: there is little or nothing to read without OCR.'
  if (maxPages !== undefined || pages.length === totalPages) return undefined
  return `The PDF has ${totalPages} pages, of which the first ${pages.length} were read.`
}

function fenced(text: string, language: string): string {
  const longest = [...text.matchAll(/`{3,}/g)].reduce((most, [fence]) => Math.max(most, fence.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text.trimEnd()}\n${fence}\n`
}
