import { scrapeRequest } from 'bowline/contract/scrape'
import { mergeSignals } from 'bowline/kit/abort'
import type { RenderPage } from '../map/render-start-page.ts'
import type { Scrapes } from '../scrape/scrapes.ts'

/** Milliseconds to load a page. Its caller waits for it. */
const timeoutMs = 15_000

/** Creates a function that renders pages with the scraper. */
export function createRenderPage(scrapes: Pick<Scrapes, 'loadHtml'>): RenderPage {
  return async ({ url, location, headers, allowedDomains }, signal) => {
    const timeout = timeoutMs
    const request = scrapeRequest.parse({ url, location, headers, allowedDomains, formats: ['rawHtml'], timeout })
    return scrapes.loadHtml(request, mergeSignals(signal, AbortSignal.timeout(timeoutMs)))
  }
}
