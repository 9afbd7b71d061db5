import { imageParserOf, pdfParserOf } from 'bowline/contract/parsers'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { requestKey } from './cache-key.ts'
import type { ProxiedLoad } from '../load/load-with-proxy.ts'
import type { PageBody } from '../fetch/loaded-page.ts'
import { findTessdata } from '../parse/pdf/tessdata.ts'
import { canonicalFormat } from './canonical-options.ts'
import { canServeText } from './pdf-variant.ts'
import type { CachedPageFacts } from '../queries/page-facts.ts'
import { localeOf } from '../fetch/page-locale.ts'
import { browserOnlyOptions, nextLoadStep } from '../load/load-step.ts'

/**
 * Maximum length of a cached page in characters or bytes. Of larger pages, only the document is
 * stored.
 */
const maxLength = 20_000_000

/** Collects the facts about a page that was just scraped. */
export function cacheFactsOf(
  request: ScrapeRequest,
  { page, processed, isEnhanced, isRendered }: ProxiedLoad,
  made: { readonly body: PageBody; readonly screenshotUrl: string | undefined },
): CachedPageFacts {
  const { waitFor, blockAds, skipTlsVerification } = request
  const format = screenshotFormat(request)
  const { body, screenshotUrl: url } = made
  return {
    answerKey: requestKey(request),
    kind: body.kind,
    isPageStored: lengthOf(body) <= maxLength,
    isShell: processed?.isShell ?? false,
    isEnhanced,
    isUnverified: skipTlsVerification && [request.url, page.url].some((url) => url.startsWith('https:')),
    fragment: new URL(request.url).hash || undefined,
    ...(isRendered && { rendering: { waitFor, blockAds, timezone: localeOf(request).timezone } }),
    ...(page.branding !== undefined && { hasBranding: true }),
    ...(url !== undefined && format !== undefined && { screenshot: { format, url } }),
    ...(body.kind === 'pdf-text' && {
      pdf: {
        readPages: body.pdf.pages.length,
        totalPages: body.pdf.totalPages,
        variant: body.variant,
        lacksOcr: body.pdf.scannedPages > 0,
        usesOcr: body.pdf.ocrPages === undefined ? undefined : body.pdf.ocrPages > 0,
      },
    }),
  }
}

/**
 * Whether a cached page or its document can serve a request. Options that only shape the document
 * may differ. `needsEnhanced`: whether only a page that came through the enhanced proxy can.
 */
export function canServe(facts: CachedPageFacts, request: ScrapeRequest, needsEnhanced: boolean): boolean {
  const { skipTlsVerification, url } = request
  // Scripts can read the fragment.
  if (facts.rendering !== undefined && facts.fragment !== (new URL(url).hash || undefined)) return false
  if (facts.isUnverified && !skipTlsVerification) return false
  if (needsEnhanced && !facts.isEnhanced) return false
  // Tesseract may have been installed since.
  if (facts.pdf?.lacksOcr === true && readsScans(request)) return false
  if (facts.answerKey === requestKey(request)) return true
  return facts.isPageStored && hasVisuals(facts, request) && isSamePage(facts, request)
}

/** Whether the requested screenshot and look of a page are stored, or the page can have none. */
function hasVisuals({ kind, rendering, screenshot, hasBranding }: CachedPageFacts, request: ScrapeRequest): boolean {
  // The browser downloads PDFs instead of showing them.
  if (kind === 'pdf' || kind === 'pdf-text') return true
  const format = screenshotFormat(request)
  if (format !== undefined && screenshot?.format !== format) return false
  if (!request.formats.some(({ type }) => type === 'branding')) return true
  return hasBranding === true || (kind !== 'html' && rendering !== undefined)
}

/** Returns the screenshot format of a request as text. Undefined if it has none. */
function screenshotFormat({ formats, mobile, actions = [] }: ScrapeRequest): string | undefined {
  const format = formats.find(({ type }) => type === 'screenshot')
  return format && JSON.stringify(canonicalFormat(format, !mobile && actions.length === 0))
}

function isSamePage({ kind, pdf, rendering, isShell }: CachedPageFacts, request: ScrapeRequest): boolean {
  switch (kind) {
    case 'pdf':
    case 'text':
      return true
    // The bytes of an image are not cached.
    case 'image':
      return imageParserOf(request.parsers) === undefined
    case 'pdf-text': {
      const parser = pdfParserOf(request.parsers)
      if (pdf === undefined || parser === undefined || !canServeText(pdf, parser)) return false
      const { readPages, totalPages } = pdf
      return readPages >= Math.min(parser.maxPages ?? totalPages, totalPages)
    }
    case 'html': {
      if (rendering === undefined) {
        const fetched = { kind, statusCode: 200, isShell, hasRetryAfter: false }
        return browserOnlyOptions(request).length === 0 && nextLoadStep(request, fetched) === 'fetch'
      }
      const { waitFor, blockAds, timezone } = rendering
      return waitFor >= request.waitFor && blockAds === request.blockAds && timezone === localeOf(request).timezone
    }
    default:
      return kind satisfies never
  }
}

/** Whether scanned pages of a PDF would be read by OCR. */
function readsScans({ parsers }: ScrapeRequest): boolean {
  const parser = pdfParserOf(parsers)
  return parser !== undefined && parser.mode !== 'fast' && findTessdata(parser.language) !== undefined
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
