import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { textChunks } from '../../kit/json-chunks.ts'
import { answerKeyOf } from './cache-key.ts'
import { compressPieces } from './compress-pieces.ts'
import type { LoadedByProxy } from '../load/load-with-proxy.ts'
import type { LoadedPage, PageBody } from '../fetch/loaded-page.ts'
import { placeOf } from '../fetch/page-locale.ts'
import { reasonsToRender, wayAfterFetch } from '../load/needs-browser.ts'

/** What decides which requests a stored page may serve. Kept as JSON. */
export interface PageFacts {
  /** Identifies all options of the scrape that stored the page: its answer serves requests with the same ones. */
  readonly answerKey: string
  readonly kind: PageBody['kind']
  /** Whether the page itself is stored, and not only the answer. */
  readonly isWhole: boolean
  readonly isShell: boolean
  readonly isEnhanced: boolean
  /** Whether it came without a check of the certificate. */
  readonly isUnverified: boolean
  /** How it was rendered. Undefined: it was fetched. */
  readonly rendering?: { readonly waitFor: number; readonly blockAds: boolean; readonly timezone?: string | undefined }
  readonly screenshot?: { readonly format: string; readonly url: string } | undefined
  /** Of a PDF that was read. */
  readonly pdf?: { readonly readPages: number; readonly totalPages: number } | undefined
}

/** Characters or bytes of a page that is stored. A larger one is stored as its answer alone. */
const maxLength = 20_000_000

/** Collects the facts of a page that was just scraped. */
export function factsOf(
  request: ScrapeRequest,
  { page, reading, isEnhanced, isRendered }: LoadedByProxy,
  made: { readonly body: PageBody; readonly screenshotUrl: string | undefined },
): PageFacts {
  const { waitFor, blockAds, formats, skipTlsVerification } = request
  const format = formats.find(({ type }) => type === 'screenshot')
  const { body, screenshotUrl: url } = made
  return {
    answerKey: answerKeyOf(request),
    kind: body.kind,
    isWhole: lengthOf(body) <= maxLength,
    isShell: reading?.isShell ?? false,
    isEnhanced,
    isUnverified: skipTlsVerification && [request.url, page.url].some((url) => url.startsWith('https:')),
    ...(isRendered && { rendering: { waitFor, blockAds, timezone: placeOf(request).timezone } }),
    ...(url !== undefined && { screenshot: { format: JSON.stringify(format), url } }),
    ...(body.kind === 'pdf-text' && {
      pdf: { readPages: body.pdf.pages.length, totalPages: body.pdf.totalPages },
    }),
  }
}

/** Whether a stored page, or its answer, is what a request asks for. Options that only shape the answer do not matter. */
export function serves(facts: PageFacts, request: ScrapeRequest): boolean {
  const { formats, proxy, skipTlsVerification, lockdown, minAge } = request
  if (facts.isUnverified && !skipTlsVerification) return false
  // Where nothing is fetched, no proxy can be used.
  const needsEnhanced = (proxy === 'enhanced' || proxy === 'stealth') && !lockdown && minAge === undefined
  if (needsEnhanced && !facts.isEnhanced) return false
  if (facts.answerKey === answerKeyOf(request)) return true
  const screenshot = formats.find(({ type }) => type === 'screenshot')
  if (screenshot !== undefined && facts.screenshot?.format !== JSON.stringify(screenshot)) return false
  return facts.isWhole && showsSame(facts, request)
}

function showsSame({ kind, pdf, rendering, isShell }: PageFacts, request: ScrapeRequest): boolean {
  switch (kind) {
    case 'pdf':
    case 'text':
    case 'image':
      return true
    case 'pdf-text': {
      const [parser] = request.parsers
      const { readPages, totalPages } = pdf ?? { readPages: 0, totalPages: 1 }
      return parser !== undefined && readPages >= Math.min(parser.maxPages ?? totalPages, totalPages)
    }
    case 'html': {
      if (rendering === undefined) {
        const fetched = { kind, statusCode: 200, isShell, saysWhen: false }
        return reasonsToRender(request).length === 0 && wayAfterFetch(request, fetched) === 'fetch'
      }
      const { waitFor, blockAds, timezone } = rendering
      return waitFor >= request.waitFor && blockAds === request.blockAds && timezone === placeOf(request).timezone
    }
    default:
      return kind satisfies never
  }
}

function lengthOf(body: PageBody): number {
  switch (body.kind) {
    case 'html':
      return body.html.length
    case 'text':
      return body.text.length
    case 'pdf':
      return body.bytes.length
    case 'pdf-text':
      return body.pdf.markdown.length
    case 'image':
      return 0
    default:
      return body satisfies never
  }
}

const decompress = promisify(zstdDecompress)

/** A page as bytes: a line of JSON and the content after it, compressed with Zstandard off the main thread. */
export async function packPage({ url, statusCode, contentType, warning, body }: LoadedPage): Promise<Buffer> {
  const [facts, content] = splitBody(body)
  const head = JSON.stringify({ url, statusCode, contentType, warning, body: facts })
  return compressPieces([`${head}\n`, ...(typeof content === 'string' ? textChunks(content) : [content])])
}

/** The page in such bytes. */
export async function unpackPage(packed: Uint8Array): Promise<LoadedPage> {
  const bytes = await decompress(packed)
  const end = bytes.indexOf('\n')
  const head = JSON.parse(bytes.toString('utf8', 0, end)) as Omit<LoadedPage, 'body'> & { readonly body: PageBody }
  return { ...head, body: joinBody(head.body, bytes.subarray(end + 1)) }
}

function splitBody(body: PageBody): readonly [facts: object, content: Uint8Array | string] {
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

function joinBody(facts: PageBody, content: Buffer): PageBody {
  switch (facts.kind) {
    case 'html':
      return { kind: facts.kind, html: content.toString() }
    case 'text':
      return { ...facts, text: content.toString() }
    case 'pdf':
      return { kind: facts.kind, bytes: content }
    case 'pdf-text':
    case 'image':
      return facts
    default:
      return facts satisfies never
  }
}
