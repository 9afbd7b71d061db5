import type { ScrapeRequest } from 'bowline/contract/scrape'
import { inSpan } from '../../kit/current-work.ts'
import type { LoadedPage } from '../fetch/loaded-page.ts'
import type { HtmlFormat } from './make-html-formats.ts'
import type { HtmlProcesses } from './html-processes.ts'
import { readsMarkdown } from './model-formats.ts'
import type { ProcessedHtml } from './process-html.ts'

/**
 * Creates the function that turns a loaded page into the formats of a request, in another process.
 * It resolves to undefined for a page that is not HTML.
 */
export function createPageProcessor(workers: HtmlProcesses, request: ScrapeRequest, signal: AbortSignal) {
  const { formats, onlyMainContent, onlyCleanContent, includeComments } = request
  const { includeTags, excludeTags, removeBase64Images, blockAds } = request
  const wanted = new Set(formats.map(({ type }) => type).filter((type) => htmlFormats.has(type)))
  if (formats.some(readsMarkdown)) wanted.add('markdown')
  const attributes = formats.find((format) => format.type === 'attributes')?.selectors
  const wantsProduct = formats.some(({ type }) => type === 'product')
  const selection = { onlyMainContent, onlyCleanContent, includeComments, includeTags, excludeTags }
  const options = { ...selection, removeBase64Images, blockAds }
  return async ({ body, url }: LoadedPage): Promise<ProcessedHtml | undefined> => {
    if (body.kind !== 'html') return undefined
    // A document has no menus, and its cells are not advertisements.
    const isDocument = body.source === 'document'
    const used = isDocument ? { ...options, onlyMainContent: false, onlyCleanContent: false, blockAds: false } : options
    const names = [...wanted] as HtmlFormat[]
    const task = { html: body.html, url, formats: names, options: used, attributes, wantsProduct }
    return inSpan('scrape.format', async () => workers.run(task, { signal }))
  }
}

const htmlFormats: ReadonlySet<string> = new Set(['markdown', 'html', 'links', 'images'])
