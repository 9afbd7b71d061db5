import type { LiteParse, LiteParseConfig, PageComplexityStats, ParsedPage } from '@llamaindex/liteparse'
import { loadOptional } from '../../../kit/optional-package.ts'
import { dropRunningLines } from './drop-running-lines.ts'
import { toPageBlocks } from './page-blocks.ts'
import type { PdfJob, PdfPage, ReadPdf } from './pdf-result.ts'

/** Resolution of rendered pages. Less for pages that would have too many pixels. */
const maxDpi = 200
const maxPixels = 25_000_000

/** Pages of a file that are read by OCR. */
const maxOcrPages = 200

type Parser = (options?: Partial<LiteParseConfig>) => LiteParse

/** Reads a PDF or an image. Rejects with PACKAGE_MISSING if liteparse is not installed. */
export async function readWithLiteparse(bytes: Buffer, job: PdfJob): Promise<ReadPdf> {
  const { LiteParse } = await loadOptional(
    '@llamaindex/liteparse',
    'headings and tables of PDFs, and OCR',
    async () => import('@llamaindex/liteparse'),
  )
  const { tessdata, language: ocrLanguage, wantsBlocks: extractBlocks } = job
  const create: Parser = (options) =>
    new LiteParse({
      ocrEnabled: false,
      outputFormat: 'markdown',
      imageMode: 'off',
      // The parser ignores digits when it compares headers, so it would drop "Chapter 2" after "Chapter 1".
      keepHeadersFooters: true,
      continueOnPageError: true,
      extractDocumentMetadata: true,
      includeComplexity: true,
      quiet: true,
      // Without its data, the parser would try to download it.
      ...(tessdata !== undefined && { tessdataPath: tessdata, ocrLanguage }),
      extractBlocks,
      numWorkers: 1,
      ...options,
    })
  return job.kind === 'image' ? readImage(bytes, create, job) : readPdf(bytes, create, job)
}

async function readImage(bytes: Buffer, create: Parser, job: PdfJob): Promise<ReadPdf> {
  const { pages, totalPages } = await create({ ocrEnabled: true, maxPages: job.maxPages }).parse(bytes)
  const read = pages.map((page) => toPage(page, job, { source: 'ocr' }))
  return {
    kind: 'read',
    pages: read,
    totalPages,
    title: undefined,
    isScanned: false,
    scannedPages: 0,
    ocrPages: read.length,
  }
}

async function readPdf(bytes: Buffer, create: Parser, job: PdfJob): Promise<ReadPdf> {
  const { maxPages, mode, tessdata } = job
  const result = await create({ maxPages }).parse(bytes)
  const scanned = new Set(result.pages.filter(looksScanned).map(({ pageNum }) => pageNum))
  const chosen = mode === 'ocr' ? result.pages : result.pages.filter(({ pageNum }) => scanned.has(pageNum))
  const byOcr = mode === 'fast' || tessdata === undefined ? [] : chosen.slice(0, maxOcrPages)
  const ocrPages = new Map<number, PdfPage>()
  for (const page of byOcr) {
    // One page at a time, since the parser renders all pages before it reads the first.
    const read = mode === 'ocr' ? readRendered : readScanned
    ocrPages.set(page.pageNum, await read(bytes, page, create, job))
  }
  const pages = result.pages.map((page) => ocrPages.get(page.pageNum) ?? toPage(page, job, { source: 'text' }))
  return {
    kind: 'read',
    pages: withoutRunningLines(pages),
    totalPages: result.totalPages,
    title: titleOf(result.docMeta?.xmp),
    isScanned: pages.length > 0 && pages.every(({ markdown }) => markdown.trim().length < 20),
    scannedPages: [...scanned].filter((page) => !ocrPages.has(page)).length,
    ocrPages: ocrPages.size,
  }
}

/** Reads a page with scanned images. Text in the file stays. */
async function readScanned(bytes: Buffer, page: ParsedPage, create: Parser, job: PdfJob): Promise<PdfPage> {
  const options = { ocrEnabled: true, dpi: dpiOf(page), targetPages: String(page.pageNum) }
  const [read = page] = (await create(options).parse(bytes)).pages
  return toPage(read, job, { source: 'ocr', pageNumber: page.pageNum })
}

/** Reads a page as it looks, without the text in the file. */
async function readRendered(bytes: Buffer, page: ParsedPage, create: Parser, job: PdfJob): Promise<PdfPage> {
  const [picture] = await create({ dpi: dpiOf(page) }).screenshot(bytes, [page.pageNum])
  const size = { width: page.width, height: page.height, pageNumber: page.pageNum }
  if (picture === undefined || picture.isSolidFill) return toPage({ ...page, markdown: '', blocks: [] }, job, size)
  const [read = page] = (await create({ ocrEnabled: true }).parse(picture.imageBuffer)).pages
  return toPage(read, job, { source: 'ocr', ...size })
}

function dpiOf({ width, height }: ParsedPage): number {
  const squareInches = Math.max(1, (width * height) / 72 ** 2)
  return Math.max(20, Math.min(maxDpi, Math.floor(Math.sqrt(maxPixels / squareInches))))
}

/** Whether the text of a page is in its images, or unreadable. */
function looksScanned({ markdown, complexity }: ParsedPage): boolean {
  if (complexity === undefined) return false
  return complexity.isGarbled || (textLength(markdown) < 20 && hasImage(complexity))
}

function hasImage({ fullPageImage, hasSubstantialImages, reasons }: PageComplexityStats): boolean {
  return fullPageImage || hasSubstantialImages || reasons.includes('vector-text')
}

/** An empty page is an empty block of code to the parser. */
function textLength(markdown: string): number {
  return markdown.replaceAll(/^```\w*$/gm, '').trim().length
}

function toPage(
  page: ParsedPage,
  { wantsBlocks }: PdfJob,
  options: Partial<Parameters<typeof toPageBlocks>[1]>,
): PdfPage {
  const { pageNumber = page.pageNum, source = 'text' } = options
  const markdown = textLength(page.markdown) === 0 ? '' : page.markdown
  const blocks = wantsBlocks ? toPageBlocks({ ...page, markdown }, { ...options, pageNumber, source }) : undefined
  return { pageNumber, markdown, blocks }
}

/** Pages with blocks stay as they are, because the blocks point into their Markdown. */
function withoutRunningLines(pages: readonly PdfPage[]): readonly PdfPage[] {
  return pages.some(({ blocks }) => blocks !== undefined) ? pages : dropRunningLines(pages)
}

function titleOf(xmp: string | undefined): string | undefined {
  return /<dc:title>\s*<rdf:Alt>\s*<rdf:li[^>]*>([^<]+)</.exec(xmp ?? '')?.[1]?.trim()
}
