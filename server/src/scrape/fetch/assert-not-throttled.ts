import { BowlineError } from 'bowline/kit/errors'
import { statusToRetry, type LoadedPage } from './loaded-page.ts'

/**
 * Throws SCRAPE_SITE_BUSY for a page that was opened with status 429 or 503, with the seconds of
 * its `Retry-After`.
 */
export function assertNotThrottled(page: LoadedPage): void {
  const status = statusToRetry(page)
  if (status !== 429 && status !== 503) return
  throw new BowlineError('SCRAPE_SITE_BUSY', `${new URL(page.url).host} responded with status ${status}`, {
    retryAfterSeconds: parseRetryAfter(page.retryAfter),
  })
}

/** Parses `Retry-After`: a number of seconds or a date (RFC 9110). */
function parseRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text)
  const seconds = Math.ceil((Date.parse(text) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
