import type { ScrapeRequest } from 'bowline/contract/scrape'
import type { LoadedPage } from '../fetch/loaded-page.ts'
import type { HtmlFormat } from './make-html-formats.ts'
import type { HtmlThreadPool } from './html-thread-pool.ts'
import type { ProcessedHtml } from './process-html.ts'

/**
 * Creates the function that turns a loaded page into the formats of a request, in a worker thread.
 * It resolves to undefined for a page that is not HTML.
 */
export function createPageProcessor(workers: HtmlThreadPool, request: ScrapeRequest, signal: AbortSignal) {
  const { formats, onlyMainContent, onlyCleanContent, includeTags, excludeTags, removeBase64Images, blockAds } = request
  const wanted = new Set(formats.map(({ type }) => type).filter((type) => htmlFormats.has(type)))
  // The language model reads Markdown.
  if (formats.some(({ type }) => type === 'json' || type === 'summary')) wanted.add('markdown')
  const attributes = formats.find((format) => format.type === 'attributes')?.selectors
  const options = { onlyMainContent, onlyCleanContent, includeTags, excludeTags, removeBase64Images, blockAds }
  return async ({ body, url }: LoadedPage): Promise<ProcessedHtml | undefined> => {
    if (body.kind !== 'html') return undefined
    return workers.run({ html: body.html, url, formats: [...wanted] as HtmlFormat[], options, attributes }, { signal })
  }
}

const htmlFormats: ReadonlySet<string> = new Set(['markdown', 'html', 'links', 'images'])
