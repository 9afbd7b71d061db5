import pRetry from 'p-retry'
import { isBowlineError } from '../kit/errors.ts'
import { sleep } from '../kit/sleep.ts'

/** Options of `retryTransient()`. */
export interface RetryOptions {
  /** Retries after the first attempt. */
  readonly retries: number
  readonly method: string
  readonly signal: AbortSignal | undefined
  /** Whether another attempt would be pointless although the failure is transient. Default: no. */
  readonly isFinal?: ((error: Error) => boolean) | undefined
}

const retriedStatuses = new Set([429, 502, 503, 504])
const longestRetryAfterSeconds = 30

/**
 * Repeats `attempt` after lost connections, timeouts and the statuses 429, 502, 503 and 504; a
 * DELETE also after 408 and every other 5xx status except 501. Waits with exponential backoff, at
 * least `Retry-After` seconds (30 at most). Rejects with the last error, or with the reason of an
 * aborted signal.
 */
export async function retryTransient<Result>(
  attempt: () => Promise<Result>,
  { retries, method, signal, isFinal = () => false }: RetryOptions,
): Promise<Result> {
  return pRetry(attempt, {
    retries,
    minTimeout: 200,
    maxTimeout: 5000,
    randomize: true,
    ...(signal && { signal }),
    shouldRetry: async ({ error }) => {
      if (!isTransient(error, method) || isFinal(error)) return false
      const pauseSeconds = isBowlineError(error) ? (error.retryAfterSeconds ?? 0) : 0
      await sleep(Math.min(pauseSeconds, longestRetryAfterSeconds) * 1000, signal)
      return true
    },
  })
}

function isTransient(error: Error, method: string): boolean {
  return (
    isBowlineError(error) &&
    (error.code === 'CONNECTION_FAILED' ||
      error.code === 'TIMEOUT' ||
      retriedStatuses.has(error.status) ||
      // A session that is not deleted continues to cost credits.
      (method === 'DELETE' && (error.status === 408 || (error.status >= 500 && error.status !== 501))))
  )
}
