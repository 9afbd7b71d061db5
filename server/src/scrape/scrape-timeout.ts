import { mergeSignals } from 'bowline/kit/abort'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'

/** A scrape with a timeout. */
export interface TimedCall {
  /** The page, as the error names it. */
  readonly subject: string
  /** Milliseconds. */
  readonly timeout: number
  /** Cancels the scrape. */
  readonly signal: AbortSignal
}

/**
 * Runs a function with the timeout of a request. Throws SCRAPE_TIMEOUT when it expires, or when no
 * slot became free in time.
 */
export async function withScrapeTimeout<Result>(
  call: TimedCall,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { subject, timeout } = call
  const limit = AbortSignal.timeout(timeout)
  try {
    return await run(mergeSignals(limit, call.signal))
  } catch (error) {
    call.signal.throwIfAborted()
    const isTeamLimit = isBowlineError(error) && error.code === 'CONCURRENCY_LIMIT'
    if (!limit.aborted && !isTeamLimit) throw error
    const { message, hint } = isTeamLimit || (isBowlineError(error) && error.code === 'SCRAPE_TIMEOUT') ? error : {}
    const why = message === undefined ? '' : `: ${message}`
    throw new BowlineError('SCRAPE_TIMEOUT', `${subject} was not scraped within ${timeout} ms${why}`, {
      hint,
      cause: error,
    })
  }
}
