import { imageParserOf, pdfParserOf } from 'bowline/contract/parsers'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { BowlineError } from 'bowline/kit/errors'
import type { Jail } from '../../browsers/jail.ts'
import { escapeHtml } from '../../kit/escape-html.ts'
import type { Semaphore } from '../../kit/semaphore.ts'
import type { LoadedPage } from '../fetch/loaded-page.ts'
import type { ProcessedHtml } from '../format/process-html.ts'
import { parseImage, type PdfContent } from '../parse/pdf/parse-pdf.ts'
import { cachedPdfFormats, parsePdfFormats } from './pdf-formats.ts'
import type { PlainFormats, TextFormats } from './made-formats.ts'

/** Makes the text formats of a loaded page. Throws PDF_*, or the signal's reason. */
export async function makeTextFormats(
  request: ScrapeRequest,
  page: LoadedPage,
  processed: ProcessedHtml | undefined,
  deps: { readonly signal: AbortSignal; readonly pdfSlots: Semaphore; readonly jail: Jail | undefined },
): Promise<TextFormats> {
  const { body } = page
  const limits = { signal: deps.signal, slots: deps.pdfSlots, jail: deps.jail, timeoutMs: 120_000 }
  if (request.formats.some(({ type }) => type === 'rawBase64')) return rawImage(page)
  const wants = (type: ScrapeRequest['formats'][number]['type']): boolean =>
    request.formats.some((format) => format.type === type)
  const pick = (all: TextFormats['formats']): TextFormats['formats'] =>
    Object.fromEntries(Object.entries(all).filter(([name, value]) => value !== undefined && wants(name as 'markdown')))
  // Pages that are not HTML have no elements.
  const selectors = request.formats.find((format) => format.type === 'attributes')?.selectors ?? []
  const attributes = selectors.map(({ selector, attribute }) => ({ selector, attribute, values: [] }))
  const plain: PlainFormats = (text, markdown, html = asHtml(text)) => ({
    formats: pick({ markdown, html, rawHtml: text, links: [], images: [], attributes, product: null }),
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
      const parser = imageParserOf(request.parsers)
      if (body.bytes !== undefined && (parser !== undefined || body.source === 'upload')) {
        return imageText(await parseImage(body.bytes, { ...limits, language: parser?.language }), plain)
      }
      const html = `<img src="${escapeHtml(page.url)}">`
      const all = plain(html, `![](${page.url})\n`, html)
      return { ...all, formats: { ...all.formats, ...(wants('images') && { images: [page.url] }) } }
    }
    case 'pdf': {
      const parser = pdfParserOf(request.parsers)
      if (parser !== undefined) return parsePdfFormats(body.bytes, { parser, limits, plain })
      const base64 = Buffer.from(body.bytes).toString('base64')
      return plain(base64, base64, base64)
    }
    case 'pdf-text':
      return cachedPdfFormats(body, { parser: pdfParserOf(request.parsers), plain })
    default:
      return body satisfies never
  }
}

/** A line break after the tag is part of the text, which HTML parsers skip. */
function asHtml(text: string): string {
  return text === '' ? '' : `<pre>${text.startsWith('\n') ? '\n' : ''}${escapeHtml(text)}</pre>`
}

/** Metadata of a file without pages. */
const onePage = { numPages: 1, totalPages: 1 } as const

/**
 * Returns the image at the URL as a data URI. Throws SCRAPE_UNSUPPORTED_FILE_ERROR for other kinds
 * of pages.
 */
function rawImage({ url, contentType = '', body }: LoadedPage): TextFormats {
  if (body.kind !== 'image' || body.bytes === undefined) {
    throw new BowlineError('SCRAPE_UNSUPPORTED_FILE_ERROR', `${url === '' ? 'The file' : url} is not an image`, {
      hint: 'The format rawBase64 is for images. Use other formats for pages and documents.',
    })
  }
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const rawBase64 = `data:${type};base64,${Buffer.from(body.bytes).toString('base64')}`
  return { formats: { rawBase64 }, metadata: {}, markdown: '', pages: 1, stored: { kind: 'image' } }
}

/** The text of an image. Its pages are those of a TIFF file. */
function imageText({ markdown, pages, totalPages }: PdfContent, plain: PlainFormats): TextFormats {
  const all = plain(markdown, markdown)
  return {
    ...all,
    metadata: { numPages: pages.length, totalPages },
    pages: pages.length,
    warning: markdown === '' ? 'No text was found in the image.' : undefined,
    stored: { kind: 'image' },
  }
}

function fenced(text: string, language: string): string {
  const fence = '`'.repeat(longestFence(text) + 1)
  return `${fence}${language}\n${text.trimEnd()}\n${fence}\n`
}

/** Length of the longest run of backticks, at least 2. Keeps no list: there can be millions. */
function longestFence(text: string): number {
  let longest = 2
  for (let start = text.indexOf('```'); start !== -1;) {
    let end = start + 3
    while (text[end] === '`') end += 1
    longest = Math.max(longest, end - start)
    start = text.indexOf('```', end)
  }
  return longest
}
