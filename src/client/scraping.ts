import type { Document } from '../contract/document.ts'
import { scrapeLimits, type ScrapeInput } from '../contract/scrape.ts'
import type { SessionScrapeInput } from '../contract/session-scrape.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'
import { requestTimeout } from './request-timeout.ts'

/** Scrapes of single pages. */
export interface Scraping {
  /**
   * Scrapes one page. Returns Markdown unless `options.formats` requests other formats.
   *
   * A page with an HTTP status such as 404 is not an error: see `metadata.statusCode`. Rejects with
   * a BowlineError, such as SCRAPE_TIMEOUT or SCRAPE_DNS_RESOLUTION_ERROR. Aborting stops the wait;
   * the server may still complete and bill the scrape.
   *
   * @example
   * ```ts
   * import { Bowline } from 'bowline'
   *
   * const bowline = new Bowline()
   * const { markdown, links, metadata } = await bowline.scrape('https://example.com', {
   *   formats: ['markdown', 'links'],
   *   timeout: 30_000,
   * })
   * console.log(metadata.statusCode, links, markdown)
   * ```
   */
  readonly scrape: (url: string, options?: ScrapeInput, requestOptions?: Abortable) => Promise<Document>
  /**
   * Returns a scrape of the last 24 hours by its `metadata.scrapeId`. Rejects with
   * SCRAPE_NOT_FOUND.
   */
  readonly getScrape: (id: string, requestOptions?: Abortable) => Promise<Document>
}

/** Scrapes the page of a session. */
export async function scrapeSession(
  call: Call,
  id: string,
  options: SessionScrapeInput = {},
  requestOptions: Abortable = {},
): Promise<Document> {
  const timeoutMs = requestTimeout(options.timeout, { fallback: scrapeLimits.defaultTimeout })
  return (await call('scrapeSession', { params: { id }, body: options }, { ...requestOptions, timeoutMs })).data
}

/** Creates `scrape` and `getScrape` of a client. */
export function createScraping(call: Call): Scraping {
  return {
    scrape: async (url, options = {}, requestOptions = {}) => {
      const timeoutMs = requestTimeout(options.timeout, { fallback: scrapeLimits.defaultTimeout })
      return (await call('scrape', { body: { ...options, url } }, { ...requestOptions, timeoutMs })).data
    },
    getScrape: async (id, requestOptions = {}) => (await call('getScrape', { params: { id } }, requestOptions)).data,
  }
}
