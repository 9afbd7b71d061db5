import { fetch, type Dispatcher } from 'undici'
import { type Abortable, mergeSignals } from 'bowline/kit/abort'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { hostNotAllowed } from '../kit/may-follow.ts'
import { redirectTarget } from '../kit/redirect-target.ts'

/** Options of `fetchStream`. Aborting ends the transfer and rejects with the signal's reason. */
export interface FetchStreamOptions extends Abortable {
  /** Sends requests through the egress policy. */
  readonly dispatcher: Dispatcher
  /** Returns the headers for a URL. Called again for each redirect. */
  readonly headersFor: (url: URL) => Readonly<Record<string, string>>
  /** Whether a URL may be requested. Default: all. */
  readonly mayOpen?: ((url: URL) => boolean) | undefined
  /** Throws if a redirect must not be followed. Default: all may. */
  readonly checkRedirect?: ((to: URL) => Promise<void>) | undefined
  /** Maximum size of the body in bytes, after decoding its `Content-Encoding`. */
  readonly maxBytes: number
  /** Called if there were more bytes. */
  readonly onTruncated?: (() => void) | undefined
  /** Maximum duration of the whole transfer in milliseconds. */
  readonly timeoutMs: number
}

/**
 * A response whose body has not been read yet. Disposing closes the connection if the body was not
 * read to its end.
 */
export interface FetchedStream extends AsyncDisposable {
  /** The URL after redirects. */
  readonly url: URL
  readonly status: number
  readonly contentType: string
  readonly chunks: AsyncIterable<Uint8Array>
}

const maxRedirects = 8

/**
 * Fetches a URL as a stream of limited size, following redirects. Throws EGRESS_REFUSED,
 * EGRESS_FAILED (also for timeouts) or the signal's reason.
 */
export async function fetchStream(start: URL, options: FetchStreamOptions): Promise<FetchedStream> {
  const done = new AbortController()
  const signal = mergeSignals(done.signal, AbortSignal.timeout(options.timeoutMs), options.signal)
  try {
    const { url, response } = await follow(start, options, signal)
    return {
      url,
      status: response.status,
      contentType: response.headers.get('content-type')?.toLowerCase() ?? '',
      chunks: bounded(response.body ?? [], options),
      [Symbol.asyncDispose]: async () => done.abort(),
    }
  } catch (error) {
    done.abort()
    options.signal?.throwIfAborted()
    throw toEgressError(start, error)
  }
}

/** Converts an error of `fetch` to a BowlineError. */
export function toEgressError(url: URL, error: unknown): BowlineError {
  if (isBowlineError(error)) return error
  const cause = Error.isError(error) ? error.cause : undefined
  if (isBowlineError(cause)) return cause
  const failure = [cause, error].find((each) => Error.isError(each) && each.message !== '')
  // OpenSSL messages also contain addresses and names of its source files.
  const reason = Error.isError(failure) && 'reason' in failure ? String(failure.reason) : undefined
  const message = reason ?? (Error.isError(failure) ? failure.message : 'the request failed')
  const why = message === 'bad port' ? `browsers block port ${url.port}` : message
  return new BowlineError('EGRESS_FAILED', `${url.origin} could not be fetched: ${why}`, { cause: error })
}

async function follow(start: URL, options: FetchStreamOptions, signal: AbortSignal) {
  let url = start
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    if (options.mayOpen?.(url) === false) throw hostNotAllowed(url)
    const response = await fetch(url, {
      dispatcher: options.dispatcher,
      headers: options.headersFor(url),
      redirect: 'manual',
      signal,
    })
    const next = redirectTarget(response.status, response.headers.get('location'), url)
    if (next === undefined) return { url, response }
    await response.body?.cancel()
    if (next.protocol !== 'http:' && next.protocol !== 'https:') {
      throw new BowlineError('EGRESS_REFUSED', `${url.origin} redirects to ${next.protocol}, which is not a web URL`)
    }
    next.username = ''
    next.password = ''
    await options.checkRedirect?.(next)
    url = next
  }
  throw new BowlineError('EGRESS_FAILED', `${start.origin} redirects more than ${maxRedirects} times`)
}

async function* bounded(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { maxBytes, onTruncated }: Pick<FetchStreamOptions, 'maxBytes' | 'onTruncated'>,
): AsyncGenerator<Uint8Array> {
  let left = maxBytes
  for await (const chunk of source) {
    if (left > 0) yield chunk.byteLength <= left ? chunk : chunk.subarray(0, left)
    left -= chunk.byteLength
    if (left < 0) {
      onTruncated?.()
      return
    }
  }
}
