import { setTimeout as delay } from 'node:timers/promises'
import pRetry from 'p-retry'
import { mergeSignals } from '../kit/abort.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import { longestTimerMs } from '../kit/longest-timer.ts'
import type { ClientConfig } from './config.ts'
import { connectionFailed, readResponse } from './read-response.ts'

/** Retries and time limit of one call. */
export interface SendOptions {
  /** Retries after the first attempt. */
  readonly retries: number
  /** Time limit of one attempt in milliseconds. */
  readonly timeoutMs: number
}

const retriedStatuses = new Set([429, 502, 503, 504])
const longestRetryAfterSeconds = 30

/**
 * Sends a request with the API key and the custom headers. Rejects with a BowlineError, or with the
 * reason of an aborted signal.
 *
 * Retries lost connections, timeouts and the statuses 429, 502, 503 and 504; a DELETE also after
 * 408 and 500. Waits with exponential backoff, at least `Retry-After` seconds (30 at most). A POST
 * is retried only with an `x-idempotency-key`.
 */
export async function sendWithRetries(
  config: ClientConfig,
  request: Request,
  { retries, timeoutMs }: SendOptions,
): Promise<Response> {
  return pRetry(() => sendOnce(config, request.clone(), timeoutMs), {
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

async function sendOnce(config: ClientConfig, request: Request, timeoutMs: number): Promise<Response> {
  const response = await sendWithTimeout(config, request, timeoutMs).catch((error: unknown) => {
    throw request.signal.aborted || isBowlineError(error) ? error : connectionFailed(request, error, config.apiKey)
  })
  return readResponse(request, response, config.apiKey)
}

/**
 * Sends a request once. Rejects with TIMEOUT after `timeoutMs`. The timeout includes reading the
 * body.
 */
async function sendWithTimeout(config: ClientConfig, request: Request, timeoutMs: number): Promise<Response> {
  const late = new AbortController()
  const onLate = (): void => {
    const { pathname } = new URL(request.url)
    late.abort(new BowlineError('TIMEOUT', `${request.method} ${pathname} timed out after ${timeoutMs} ms`))
  }
  const timer = setTimeout(onLate, Math.min(timeoutMs, longestTimerMs))
  try {
    const attempt = new Request(request, { signal: mergeSignals(request.signal, late.signal) })
    for (const [name, value] of Object.entries(config.headers)) attempt.headers.set(name, value)
    attempt.headers.set('authorization', `Bearer ${config.apiKey}`)
    const response = await config.fetch(attempt)
    const body = await response.text()
    return new Response(response.status === 204 ? null : body, { status: response.status, headers: response.headers })
  } catch (error) {
    // fetch rejects with different errors at different stages. The reason of the signal is always
    // the same.
    if (request.signal.aborted) throw request.signal.reason
    throw late.signal.aborted ? late.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}
