import { BowlineError } from 'bowline/kit/errors'
import type { LoadedPage } from './loaded-page.ts'

/** Throws SCRAPE_SITE_BUSY for a page that asks its reader to come again later, with the seconds that it names. */
export function assertNotThrottled({ url, statusCode, retryAfter }: LoadedPage): void {
  if (statusCode !== 429 && statusCode !== 503) return
  throw new BowlineError('SCRAPE_SITE_BUSY', `${new URL(url).host} answered ${statusCode}`, {
    retryAfterSeconds: secondsOf(retryAfter),
  })
}

/** `Retry-After` is a number of seconds or a date (RFC 9110). */
function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\s*\d{1,9}\s*$/.test(text)) return Number(text)
  const seconds = Math.ceil((Date.parse(text) - Date.now()) / 1000)
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
