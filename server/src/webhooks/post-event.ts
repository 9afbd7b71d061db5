import { request, type Dispatcher } from 'undici'
import { abortable, type Abortable, mergeSignals } from 'bowline/kit/abort'
import { isBowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'

/** Options of `postEvent`. */
export interface PostRequest extends Abortable {
  readonly dispatcher: Dispatcher
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
}

/** Outcome of a delivery attempt. `error` is the reason of a failure. */
export interface PostOutcome {
  readonly statusCode?: number | undefined
  readonly error?: string | undefined
  /** Whether a retry is pointless. */
  readonly isFinal: boolean
  readonly durationMs: number
}

/** Bytes of a response body that are read so that the connection can be reused. */
const maxBodyBytes = 64 * 1024

/**
 * Posts an event. Any response other than 2xx within `timeoutMs` is a failure. Does not follow
 * redirects. Rejects only with the signal's reason.
 */
export async function postEvent({ signal, timeoutMs, ...post }: PostRequest): Promise<PostOutcome> {
  const startedAtMs = performance.now()
  const limit = AbortSignal.timeout(timeoutMs)
  const either = mergeSignals(limit, signal)
  const outcome = (facts: Omit<PostOutcome, 'durationMs'>): PostOutcome => ({
    ...facts,
    durationMs: Math.round(performance.now() - startedAtMs),
  })
  try {
    const { url, dispatcher, headers, body } = post
    // The library ignores the signal until it is connected.
    const sending = request(url, { method: 'POST', dispatcher, headers, body, signal: either })
    const response = await abortable(sending, either)
    const { statusCode } = response
    // Only the status matters. Errors while reading the body are ignored.
    await response.body.dump({ limit: maxBodyBytes, signal: either }).catch(() => undefined)
    const isDelivered = statusCode >= 200 && statusCode < 300
    return outcome({
      statusCode,
      isFinal: isDelivered,
      error: isDelivered ? undefined : `The receiver responded with ${statusCode}`,
    })
  } catch (error) {
    signal?.throwIfAborted()
    if (limit.aborted) return outcome({ isFinal: false, error: `No response within ${timeoutMs / 1000} s` })
    const isFinal = isBowlineError(error) && error.code === 'EGRESS_REFUSED'
    return outcome({ isFinal, error: messageOf(error) })
  }
}
