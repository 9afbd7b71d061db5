import type { Document } from '../contract/document.ts'
import type { ScrapeInput } from '../contract/scrape.ts'
import type { Abortable } from '../kit/abort.ts'
import type { Call } from './call.ts'

/** Pages as content. */
export interface Scraping {
  /**
   * Scrapes one page: Markdown unless `formats` says otherwise. Rejects with a BowlineError, such as SCRAPE_TIMEOUT; a
   * page that answers 404 is no error: see `metadata.statusCode`. Aborting stops the wait; the server may still finish and bill.
   */
  readonly scrape: (url: string, options?: ScrapeInput, how?: Abortable) => Promise<Document>
  /** Reads a scrape again by its `metadata.scrapeId`, for 24 hours. Rejects with SCRAPE_NOT_FOUND. */
  readonly getScrape: (id: string, how?: Abortable) => Promise<Document>
}

/** What a server takes for `timeout` when nothing is said, in milliseconds. */
const defaultTimeoutMs = 60_000

/** Milliseconds for a server to say that its time is over. */
const graceMs = 15_000

/** Makes the scraping part of a client. */
export function createScraping(call: Call): Scraping {
  return {
    scrape: async (url, options = {}, how = {}) => {
      const timeoutMs = (options.timeout ?? defaultTimeoutMs) + graceMs
      return (await call('scrape', { body: { ...options, url } }, { ...how, timeoutMs })).data
    },
    getScrape: async (id, how = {}) => (await call('getScrape', { params: { id } }, how)).data,
  }
}
