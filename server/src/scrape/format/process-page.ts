import type { ScrapeRequest } from 'bowline/contract/scrape'
import type { LoadedPage } from '../fetch/loaded-page.ts'
import type { PageResult } from './process-html.ts'
import type { PageFormat } from './html-formats.ts'
import type { Workers } from './html-workers.ts'

const fromHtml: ReadonlySet<string> = new Set(['markdown', 'html', 'links', 'images'])

/** Makes the function that reads the HTML of a page for a request, in a thread. */
export function readLoaded(workers: Workers, request: ScrapeRequest, signal: AbortSignal) {
  const { formats, onlyMainContent, onlyCleanContent, includeTags, excludeTags, removeBase64Images, blockAds } = request
  const wanted = new Set(formats.map(({ type }) => type).filter((type) => fromHtml.has(type)))
  // Data are extracted from Markdown, and summaries made from it.
  if (formats.some(({ type }) => type === 'json' || type === 'summary')) wanted.add('markdown')
  const attributes = formats.find((format) => format.type === 'attributes')?.selectors
  const options = { onlyMainContent, onlyCleanContent, includeTags, excludeTags, removeBase64Images, blockAds }
  return async ({ body, url }: LoadedPage): Promise<PageResult | undefined> => {
    if (body.kind !== 'html') return undefined
    return workers.run({ html: body.html, url, formats: [...wanted] as PageFormat[], options, attributes }, { signal })
  }
}
