import { type Abortable, mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { Jail } from '../../../browsers/jail.ts'
import type { Semaphore } from '../../../kit/semaphore.ts'
import { dropRunningLines } from './drop-running-lines.ts'
import type { PdfJob, PdfPage, PdfResult, ReadPdf } from './pdf-result.ts'
import { maxMemoryKb, outOfMemory, runPdfProcess } from './run-pdf-process.ts'
import { defaultLanguage, findTessdata, requireTessdata } from './tessdata.ts'

/** Maximum number of pages, unless `maxPages` is lower. */
const maxPagesRead = 10_000

/** Pages of an image that are read. Only TIFF files have several. */
const maxImagePages = 100

/** Options of `parseImage`. */
export interface ImageOptions extends Abortable {
  /** Languages for OCR as codes of Tesseract, joined by `+`. Default: `eng`. */
  readonly language?: string | undefined
  /** Time limit in milliseconds. The parser process is killed when it expires. Default: 30000. */
  readonly timeoutMs?: number | undefined
  /**
   * Limits how many PDFs are parsed at once. Waiting for a slot does not count as time. Default: no
   * limit.
   */
  readonly slots?: Semaphore | undefined
  /** The bubblewrap around the parser process. Default: none. */
  readonly jail?: Jail | undefined
}

/** Options of `parsePdf`. */
export interface PdfOptions extends ImageOptions {
  /** Number of pages to read. The others are only counted. Default: all. */
  readonly maxPages?: number | undefined
  /**
   * `auto` reads scanned pages by OCR if it is available, `ocr` reads all pages by it. Default:
   * `auto`.
   */
  readonly mode?: PdfJob['mode'] | undefined
  /** Locates the blocks of pages. Default: false. */
  readonly wantsBlocks?: boolean | undefined
}

/** A PDF or an image as Markdown. */
export interface PdfContent extends Omit<ReadPdf, 'kind'> {
  readonly markdown: string
  /** The pages that were read. */
  readonly pages: readonly PdfPage[]
  /** Number of pages of the file. */
  readonly totalPages: number
}

/**
 * Converts a PDF to Markdown in a separate process, which is killed on abort. Throws PDF_INVALID
 * for empty, malformed or other files, PDF_ENCRYPTED if it needs a password, OCR_UNAVAILABLE,
 * PDF_FAILED and TIMEOUT.
 */
export async function parsePdf(bytes: Uint8Array, options: PdfOptions = {}): Promise<PdfContent> {
  assertPdf(bytes)
  const { maxPages = maxPagesRead, mode = 'auto', wantsBlocks = false, language = defaultLanguage } = options
  // Only a request for OCR, or for a language of it, fails without it.
  const isRequired = mode === 'ocr' || (mode === 'auto' && options.language !== undefined)
  const tessdata = isRequired ? requireTessdata(language) : findTessdata(language)
  return parse(bytes, { reader: 'liteparse', kind: 'pdf', mode, maxPages, wantsBlocks, language, tessdata }, options)
}

/**
 * Reads the text of an image by OCR, in a separate process. Throws OCR_UNAVAILABLE,
 * DOCUMENT_INVALID, PDF_FAILED, TIMEOUT.
 */
export async function parseImage(bytes: Uint8Array, options: ImageOptions = {}): Promise<PdfContent> {
  const { language = defaultLanguage } = options
  const tessdata = requireTessdata(language)
  assertImage(bytes)
  const job = { reader: 'liteparse', kind: 'image', mode: 'ocr', maxPages: maxImagePages, wantsBlocks: false } as const
  return parse(bytes, { ...job, language, tessdata }, options)
}

async function parse(bytes: Uint8Array, job: PdfJob, options: ImageOptions): Promise<PdfContent> {
  const { signal, timeoutMs = 30_000, slots, jail } = options
  const name = `${job.kind === 'pdf' ? 'PDF' : 'image'} of ${sizeOf(bytes)}`
  signal?.throwIfAborted()
  using _ = await slots?.acquire(signal)
  const limit = AbortSignal.timeout(timeoutMs)
  const stop = mergeSignals(limit, signal)
  const attempt = async (reader: PdfJob['reader']): Promise<PdfResult> => {
    try {
      return await runPdfProcess(bytes, { ...job, reader }, { signal: stop, jail })
    } catch (cause) {
      signal?.throwIfAborted()
      if (limit.aborted)
        throw new BowlineError('TIMEOUT', `The ${name} was not parsed within ${timeoutMs} ms`, {
          status: 408,
          hint: 'Request fewer pages with `maxPages`, or raise `timeout`.',
          cause,
        })
      throw cause
    }
  }
  const first = await attempt(job.reader)
  // liteparse may be missing on this platform, or crash. unpdf is slower, finds no headings and has no OCR.
  const isRepeated = first.kind === 'failed' && !outOfMemory.test(first.message) && job.mode !== 'ocr'
  return toContent(isRepeated ? await attempt('unpdf') : first, name, job)
}

/** Returns a parsed PDF with at most `maxPages` of its pages. Default: all. */
export function firstPages(pdf: PdfContent, maxPages = Infinity): PdfContent {
  if (maxPages >= pdf.pages.length) return pdf
  const pages = pdf.pages.slice(0, maxPages)
  return { ...pdf, pages, markdown: joinPages(pages) }
}

/** Returns a parsed PDF as it is without blocks, whose pages keep repeated headers and footers. */
export function withoutBlocks(pdf: PdfContent): PdfContent {
  if (pdf.pages.every(({ blocks }) => blocks === undefined)) return pdf
  const pages = dropRunningLines(pdf.pages)
  return { ...pdf, pages, markdown: joinPages(pages) }
}

/** Joins the Markdown of pages. A rule and a comment with the number start each but the first. */
export function joinWithMarkers(pages: readonly PdfPage[]): string {
  return `${pages
    .map(({ markdown, pageNumber }, index) =>
      (index === 0 ? markdown : `---\n\n<!-- page ${pageNumber} -->\n\n${markdown}`).trim(),
    )
    .join('\n\n')}\n`
}

function joinPages(pages: readonly PdfPage[]): string {
  const markdown = pages
    .map((page) => page.markdown.trim())
    .filter((page) => page !== '')
    .join('\n\n')
  return markdown === '' ? '' : `${markdown}\n`
}

function sizeOf(bytes: Uint8Array): string {
  return bytes.length < 10_000 ? `${bytes.length} bytes` : `${(bytes.length / 1e6).toFixed(2)} MB`
}

function assertPdf(bytes: Uint8Array): void {
  if (bytes.length === 0) throw new BowlineError('PDF_INVALID', 'The PDF is empty: 0 bytes')
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 1024))
  if (start.includes('%PDF-')) return
  const shown = start
    .subarray(0, 24)
    .toString('latin1')
    .replace(/[^\x20-\x7e]+/g, '.')
  throw new BowlineError('PDF_INVALID', `Not a PDF: ${sizeOf(bytes)} starting with \`${shown}\``)
}

/** First bytes of PNG, JPEG, GIF, TIFF, BMP and WebP. */
const imageSignatures = /^(?:\x89PNG\r\n|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|BM|RIFF[^]{4}WEBP)/

function assertImage(bytes: Uint8Array): void {
  if (imageSignatures.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1', 0, 16))) return
  const message = `Not a PNG, JPEG, GIF, TIFF, BMP or WebP image: ${sizeOf(bytes)}`
  throw new BowlineError('DOCUMENT_INVALID', message)
}

function tooLarge(name: string): BowlineError {
  return new BowlineError('PDF_FAILED', `The ${name} needs more than ${maxMemoryKb / 1e6} GB of memory`, {
    status: 422,
    hint: 'Send a smaller image. Of a PDF, request fewer pages with `maxPages`, or the file itself with `parsers: []`.',
  })
}

function toContent(result: PdfResult, name: string, job: PdfJob): PdfContent {
  const invalid = (message: string): BowlineError =>
    new BowlineError(job.kind === 'pdf' ? 'PDF_INVALID' : 'DOCUMENT_INVALID', `The ${name} ${message}`)
  switch (result.kind) {
    case 'encrypted':
      throw new BowlineError('PDF_ENCRYPTED', `The ${name} needs a password`)
    case 'noOcr':
      throw new BowlineError('OCR_UNAVAILABLE', result.message, { hint: 'Install the package on the server.' })
    case 'invalid':
      if (outOfMemory.test(result.message)) throw tooLarge(name)
      throw invalid(`is malformed: ${result.message}`)
    case 'failed':
      if (outOfMemory.test(result.message)) throw tooLarge(name)
      throw new BowlineError('PDF_FAILED', `The ${name} could not be parsed: ${result.message}`)
    case 'read': {
      const { kind: _, ...content } = result
      if (content.totalPages === 0) throw invalid('has no pages')
      return { ...content, markdown: joinPages(content.pages) }
    }
    default:
      return result satisfies never
  }
}
