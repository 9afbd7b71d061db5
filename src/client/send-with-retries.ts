import { abortable } from '../kit/abort.ts'
import { BowlineError, isBowlineError } from '../kit/errors.ts'
import { longestTimerMs } from '../kit/longest-timer.ts'
import type { ClientConfig } from './config.ts'
import type { QueueProgress } from '../contract/queue-progress.ts'
import { readEvents } from './read-events.ts'
import { connectionFailed, readResponse } from './read-response.ts'
import { retryTransient } from './retry-transient.ts'
import { toResponse } from './to-response.ts'

/** Retries and time limit of one call. */
export interface SendOptions {
  /** Retries after the first attempt. */
  readonly retries: number
  /** Time limit of one attempt in milliseconds. */
  readonly timeoutMs: number
  /** Seconds for which the server may hold the request, in all attempts together. Default: 0. */
  readonly waitSeconds?: number | undefined
  /** Called with each position of a request that the server holds. */
  readonly onQueued?: ((progress: QueueProgress) => void) | undefined
}

/**
 * Sends a request with the API key and the custom headers. Rejects with a BowlineError, or with the
 * reason of an aborted signal.
 *
 * Retries as `retryTransient()` does; a POST only with an `x-idempotency-key`. A request that the
 * server may hold is retried for the rest of `waitSeconds`, and not after CONCURRENCY_LIMIT at its
 * end.
 */
export async function sendWithRetries(
  config: ClientConfig,
  request: Request,
  { retries, timeoutMs, waitSeconds, onQueued }: SendOptions,
): Promise<Response> {
  const { signal } = request
  const startMs = performance.now()
  const leftSeconds = (): number => Math.max(0, Math.ceil((waitSeconds ?? 0) - (performance.now() - startMs) / 1000))
  const send = async (): Promise<Response> => {
    if (waitSeconds === undefined) return sendOnce(config, request.clone(), { signal, timeoutMs })
    const waitMs = leftSeconds() * 1000
    return sendOnce(config, withWait(request.clone(), waitMs / 1000), {
      signal,
      timeoutMs: timeoutMs + waitMs,
      onQueued,
    })
  }
  return retryTransient(send, {
    retries: isRepeatable(request) ? retries : 0,
    method: request.method,
    signal,
    isFinal: (error) =>
      isBowlineError(error) && error.code === 'CONCURRENCY_LIMIT' && (waitSeconds ?? 0) > 0 && leftSeconds() <= 1,
  })
}

function isRepeatable(request: Request): boolean {
  return ['GET', 'DELETE'].includes(request.method) || request.headers.has('x-idempotency-key')
}

function withWait(request: Request, seconds: number): Request {
  const url = new URL(request.url)
  url.searchParams.set('wait', String(seconds))
  return new Request(url, request)
}

/** Options of one attempt. */
interface AttemptOptions extends Pick<SendOptions, 'timeoutMs' | 'onQueued'> {
  readonly signal: AbortSignal
}

async function sendOnce(config: ClientConfig, request: Request, options: AttemptOptions): Promise<Response> {
  const response = await sendWithTimeout(config, request, options).catch((error: unknown) => {
    throw options.signal.aborted || isBowlineError(error) ? error : connectionFailed(request, error, config.apiKey)
  })
  return readResponse(request, response, config.apiKey)
}

/**
 * Sends a request once. Rejects with TIMEOUT after `timeoutMs`. The timeout includes reading the
 * body.
 */
async function sendWithTimeout(
  config: ClientConfig,
  request: Request,
  { signal, timeoutMs, onQueued }: AttemptOptions,
): Promise<Response> {
  const late = new AbortController()
  const onLate = (): void => {
    const { pathname } = new URL(request.url)
    late.abort(new BowlineError('TIMEOUT', `${request.method} ${pathname} timed out after ${timeoutMs} ms`))
  }
  const timer = setTimeout(onLate, Math.min(timeoutMs, longestTimerMs))
  // Signals of requests follow others only until garbage is collected, so this one is linked here.
  const onAbort = (): void => late.abort(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const attempt = new Request(request, { signal: late.signal })
    for (const [name, value] of Object.entries(config.headers)) attempt.headers.set(name, value)
    attempt.headers.set('authorization', `Bearer ${config.apiKey}`)
    const response = await abortable(config.fetch(attempt), late.signal)
    const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    if (isEvents) return await readEvents(response, { onQueued, signal: late.signal })
    return toResponse(response.status, await response.text(), response.headers)
  } catch (error) {
    // fetch rejects with different errors at different stages. The reason of the signal is always
    // the same.
    throw late.signal.aborted ? late.signal.reason : error
  } finally {
    signal.removeEventListener('abort', onAbort)
    clearTimeout(timer)
  }
}
