import type { ScrapeRequest } from 'bowline/contract/scrape'
import { mergeSignals } from 'bowline/kit/abort'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'

/** A scrape with a timeout. */
export interface TimedCall {
  readonly request: Pick<ScrapeRequest, 'url' | 'timeout'>
  /** Cancels the scrape. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs a function with the timeout of a request. Throws SCRAPE_TIMEOUT when it expires, or when no
 * slot became free in time.
 */
export async function withScrapeTimeout<Result>(
  call: TimedCall,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { url, timeout } = call.request
  const limit = AbortSignal.timeout(timeout)
  try {
    return await run(mergeSignals(limit, call.signal))
  } catch (error) {
    call.signal?.throwIfAborted()
    const isTimeout = limit.aborted || (isBowlineError(error) && error.code === 'CONCURRENCY_LIMIT')
    if (!isTimeout) throw error
    const { message, hint } = isBowlineError(error) && error.code === 'SCRAPE_TIMEOUT' ? error : {}
    const why = message === undefined ? '' : `: ${message}`
    throw new BowlineError('SCRAPE_TIMEOUT', `${url} was not scraped within ${timeout} ms${why}`, {
      hint,
      cause: error,
    })
  }
}
