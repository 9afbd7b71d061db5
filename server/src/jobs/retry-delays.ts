import { isBowlineError } from 'bowline/kit/errors'

/**
 * Maximum number of attempts to scrape a page. Throttling and failures of the server are often
 * temporary.
 */
export const maxAttempts = 3

const delaysMs = [500, 3000] as const
const minPauseMs = 1000
const maxPauseMs = 120_000

/** Failures caused by the server, not by the page. */
const serverErrors: ReadonlySet<string> = new Set([
  'BROWSER_START_FAILED',
  'BROWSER_NOT_FOUND',
  'CDP_FAILED',
  'DRAINING',
  'UNKNOWN_ERROR',
])

/**
 * Returns the milliseconds to pause a host that throttles requests: its `Retry-After`, 1 s at least
 * and 2 minutes at most. Returns `undefined` for other errors.
 */
export function throttleDelayMs(error: unknown): number | undefined {
  if (!isBowlineError(error) || error.code !== 'SCRAPE_SITE_BUSY') return undefined
  return Math.min(maxPauseMs, Math.max(minPauseMs, (error.retryAfterSeconds ?? 0) * 1000))
}

/**
 * Returns the milliseconds until the next attempt after a failure of the server. Returns
 * `undefined` if the page caused the failure or no attempt is left.
 */
export function retryDelayMs(error: unknown, attempt: number): number | undefined {
  return !isBowlineError(error) || serverErrors.has(error.code) ? delaysMs[attempt - 1] : undefined
}
