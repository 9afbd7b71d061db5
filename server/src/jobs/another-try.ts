import { isBowlineError } from 'bowline/kit/errors'

/** How often a page is scraped at most: what it asks for or what goes wrong on our side may pass. */
export const tries = 3

const delaysMs = [500, 3000] as const
const shortestPauseMs = 1000
const longestPauseMs = 120_000

/** Failures that are ours and not the page's. */
const ours: ReadonlySet<string> = new Set([
  'BROWSER_START_FAILED',
  'BROWSER_NOT_FOUND',
  'CDP_FAILED',
  'DRAINING',
  'UNKNOWN_ERROR',
])

/** Milliseconds for which a site asks to be left alone, 2 minutes at most. Undefined: it does not. Default 1 s. */
export function pauseMs(error: unknown): number | undefined {
  if (!isBowlineError(error) || error.code !== 'SCRAPE_SITE_BUSY') return undefined
  return Math.min(longestPauseMs, Math.max(shortestPauseMs, (error.retryAfterSeconds ?? 0) * 1000))
}

/** Milliseconds until a page is tried again whose failure was ours. Undefined: it was the page's, or enough was tried. */
export function retryMs(error: unknown, attempt: number): number | undefined {
  return !isBowlineError(error) || ours.has(error.code) ? delaysMs[attempt - 1] : undefined
}
