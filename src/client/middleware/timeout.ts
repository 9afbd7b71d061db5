import { BowlineError } from '../../kit/errors.ts'
import { longestTimerMs } from '../../kit/longest-timer.ts'
import type { Middleware } from '../send.ts'

/**
 * Ends an attempt with TIMEOUT after `timeoutMs`. Reads the whole body, so that a body that never
 * ends counts as well.
 */
export function timeout(timeoutMs: number): Middleware {
  return (next) => async (request) => {
    const late = new AbortController()
    const timer = setTimeout(
      () => {
        late.abort(
          new BowlineError(
            'TIMEOUT',
            `${request.method} ${new URL(request.url).pathname} timed out after ${timeoutMs} ms`,
          ),
        )
      },
      Math.min(timeoutMs, longestTimerMs),
    )
    try {
      const response = await next(new Request(request, { signal: AbortSignal.any([request.signal, late.signal]) }))
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
}
