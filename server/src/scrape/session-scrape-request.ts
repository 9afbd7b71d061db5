import { scrapeRequest, type ScrapeRequest } from 'bowline/contract/scrape'
import type { SessionScrapeRequest } from 'bowline/contract/session-scrape'

/** Options about loading a page, which do not apply to the page of a session. */
const unused = scrapeRequest.parse({ url: 'http://session.invalid/', maxAge: 0, storeInCache: false })

/** Returns the request for a page of a session that was read at this URL. It is never cached. */
export function toScrapeRequest(options: SessionScrapeRequest, url: string): ScrapeRequest {
  const given = Object.fromEntries(
    Object.entries(options).filter(([name, value]) => name !== 'targetId' && value !== undefined),
  )
  return { ...unused, ...given, url }
}
