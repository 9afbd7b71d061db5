import { setTimeout as delay } from 'node:timers/promises'
import pRetry from 'p-retry'
import { isBowlineError } from '../../kit/errors.ts'
import type { Middleware } from '../send.ts'

const retriedStatuses = new Set([429, 502, 503, 504])
const longestRetryAfterSeconds = 30

/**
 * Retries lost connections, timeouts and the statuses 429, 502, 503 and 504; a DELETE also after
 * 408 and 500. Waits with exponential backoff, at least `Retry-After` seconds (30 at most). A POST
 * is retried only with an `x-idempotency-key`.
 */
export function retry(retries: number): Middleware {
  return (next) => async (request) =>
    pRetry(() => next(request.clone()), {
      retries: isRepeatable(request) ? retries : 0,
      minTimeout: 200,
      maxTimeout: 5000,
      randomize: true,
      signal: request.signal,
      shouldRetry: async ({ error }) => {
        if (!isTransient(error, request.method)) return false
        const waitSeconds = isBowlineError(error) ? (error.retryAfterSeconds ?? 0) : 0
        await delay(Math.min(waitSeconds, longestRetryAfterSeconds) * 1000, undefined, { signal: request.signal })
        return true
      },
    })
}

function isRepeatable(request: Request): boolean {
  return ['GET', 'DELETE'].includes(request.method) || request.headers.has('x-idempotency-key')
}

function isTransient(error: Error, method: string): boolean {
  return (
    isBowlineError(error) &&
    (error.code === 'CONNECTION_FAILED' ||
      error.code === 'TIMEOUT' ||
      retriedStatuses.has(error.status) ||
      // A session that is not deleted continues to cost credits.
      (method === 'DELETE' && [408, 500].includes(error.status)))
  )
}
