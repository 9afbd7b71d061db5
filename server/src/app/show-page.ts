import { scrapeRequest } from 'bowline/contract/scrape'
import type { ShowPage } from '../map/show-start.ts'
import type { Scrapes } from '../scrape/scrapes.ts'

/** Milliseconds for a page that something else waits for. */
const showMs = 15_000

/** Shows pages the way they are scraped. */
export function createShowPage(scrapes: Pick<Scrapes, 'loadHtml'>): ShowPage {
  return async ({ url, location, headers }, signal) => {
    const request = scrapeRequest.parse({ url, location, headers, formats: ['rawHtml'], timeout: showMs })
    return scrapes.loadHtml(request, AbortSignal.any([signal, AbortSignal.timeout(showMs)]))
  }
}
