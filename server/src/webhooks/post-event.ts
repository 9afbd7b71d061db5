import { request, type Dispatcher } from 'undici'
import type { Abortable } from 'bowline/kit/abort'
import { isBowlineError } from 'bowline/kit/errors'

/** What is posted, where, and by which way. Aborting ends the request. */
export interface PostRequest extends Abortable {
  readonly dispatcher: Dispatcher
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
}

/** What a try came to: `error` tells why it failed. */
export interface PostOutcome {
  readonly statusCode?: number | undefined
  readonly error?: string | undefined
  /** Whether trying again is of no use. */
  readonly isFinal: boolean
  readonly durationMs: number
}

const maxBodyBytes = 64 * 1024

/** Posts a body. Anything but an answer 200 to 299 within the time is a failure; redirects are not followed. Rejects only with the signal's reason. */
export async function postEvent({ signal, timeoutMs, ...post }: PostRequest): Promise<PostOutcome> {
  const startedAtMs = performance.now()
  const limit = AbortSignal.timeout(timeoutMs)
  const either = signal === undefined ? limit : AbortSignal.any([limit, signal])
  const outcome = (facts: Omit<PostOutcome, 'durationMs'>): PostOutcome => ({
    ...facts,
    durationMs: Math.round(performance.now() - startedAtMs),
  })
  try {
    const { url, dispatcher, headers, body } = post
    const response = await request(url, { method: 'POST', dispatcher, headers, body, signal: either })
    const { statusCode } = response
    // With its status the receiver has said everything: what breaks off after that changes nothing.
    await response.body.dump({ limit: maxBodyBytes, signal: either }).catch(() => undefined)
    const isDelivered = statusCode >= 200 && statusCode < 300
    return outcome({
      statusCode,
      isFinal: isDelivered,
      error: isDelivered ? undefined : `The receiver answered ${statusCode}`,
    })
  } catch (error) {
    signal?.throwIfAborted()
    if (limit.aborted) return outcome({ isFinal: false, error: `No answer within ${timeoutMs / 1000} s` })
    const isFinal = isBowlineError(error) && error.code === 'EGRESS_REFUSED'
    return outcome({ isFinal, error: Error.isError(error) ? error.message : String(error) })
  }
}
