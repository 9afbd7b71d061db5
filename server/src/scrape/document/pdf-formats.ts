import type { Document } from 'bowline/contract/document'
import type { PdfParser } from 'bowline/contract/parsers'
import type { PageBody } from '../fetch/loaded-page.ts'
import {
  firstPages,
  joinWithMarkers,
  parsePdf,
  withoutBlocks,
  type PdfContent,
  type PdfOptions,
} from '../parse/pdf/parse-pdf.ts'
import type { PlainFormats, TextFormats } from './made-formats.ts'
import { pdfVariant } from './pdf-variant.ts'

/** Parses a PDF, and makes its formats. Throws PDF_*, OCR_UNAVAILABLE. */
export async function parsePdfFormats(
  bytes: Uint8Array,
  {
    parser,
    limits,
    plain,
  }: {
    readonly parser: PdfParser
    readonly limits: Pick<PdfOptions, 'signal' | 'slots' | 'jail' | 'timeoutMs'>
    readonly plain: PlainFormats
  },
): Promise<TextFormats> {
  const { mode, maxPages, language, blocks: wantsBlocks } = parser
  const pdf = await parsePdf(bytes, { ...limits, mode, maxPages, language, wantsBlocks })
  return pdfFormats(pdf, parser, plain)
}

/** Makes the formats of a PDF from the cache. */
export function cachedPdfFormats(
  { pdf }: Extract<PageBody, { readonly kind: 'pdf-text' }>,
  { parser, plain }: { readonly parser: PdfParser | undefined; readonly plain: PlainFormats },
): TextFormats {
  const read = firstPages(pdf, parser?.maxPages)
  return pdfFormats(parser?.blocks === true ? read : withoutBlocks(read), parser, plain)
}

function pdfFormats(pdf: PdfContent, parser: PdfParser | undefined, plain: PlainFormats): TextFormats {
  const markdown = parser?.pageMarkers === true ? joinWithMarkers(pdf.pages) : pdf.markdown
  const all = plain(pdf.markdown, markdown)
  return {
    ...all,
    formats: { ...all.formats, ...pagesOf(pdf, parser) },
    metadata: { title: pdf.title, numPages: pdf.pages.length, totalPages: pdf.totalPages },
    pages: pdf.pages.length,
    warning: pdfWarning(pdf, parser?.maxPages),
    stored: { kind: 'pdf-text', pdf, variant: parser === undefined ? undefined : pdfVariant(parser) },
  }
}

function pagesOf({ pages }: PdfContent, parser: PdfParser | undefined): Pick<Document, 'pages' | 'blocks'> {
  const wantsPages = parser?.pages === true || parser?.pageMarkdown === true
  return {
    ...(wantsPages && { pages: pages.map(({ pageNumber, markdown }) => ({ pageNumber, markdown })) }),
    ...(parser?.blocks === true && { blocks: pages.flatMap(({ blocks }) => blocks ?? []) }),
  }
}

function pdfWarning({ pages, totalPages, scannedPages }: PdfContent, maxPages: number | undefined): string | undefined {
  if (scannedPages > 0) {
    const which = scannedPages === pages.length ? 'The PDF contains' : `${scannedPages} pages of the PDF contain`
    return `${which} scanned images: there is little or no text without OCR. A server with Tesseract reads them, unless the mode is \`fast\`.`
  }
  if (maxPages !== undefined || pages.length === totalPages) return undefined
  return `The PDF has ${totalPages} pages, of which the first ${pages.length} were read.`
}
