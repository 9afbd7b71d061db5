import { fetch, type Dispatcher } from 'undici'
import type { Abortable } from 'bowline/kit/abort'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { redirectTarget } from '../kit/redirect-target.ts'

/** Options of `fetchStream`. Aborting ends the transfer and rejects with the signal's reason. */
export interface FetchStreamOptions extends Abortable {
  /** The way out of the server, which judges every connection. */
  readonly dispatcher: Dispatcher
  /** Headers for this address; a redirect asks anew. */
  readonly headersFor: (url: URL) => Readonly<Record<string, string>>
  /** Bytes after which the body ends, counted after decompression by the transfer encoding. */
  readonly maxBytes: number
  /** Called when there were more bytes. */
  readonly onCut?: (() => void) | undefined
  /** Milliseconds the whole transfer may take. */
  readonly timeoutMs: number
}

/** An answer whose body has not been read yet. Disposing drops the connection if it was not read to its end. */
export interface FetchedStream extends AsyncDisposable {
  /** Where redirects led. */
  readonly url: URL
  readonly status: number
  readonly contentType: string
  readonly chunks: AsyncIterable<Uint8Array>
}

const maxRedirects = 8

/**
 * Gets an address, redirects followed, for reading as a stream that is cut at its bounds. Throws EGRESS_REFUSED,
 * EGRESS_FAILED (which timeouts are, too) or the signal's reason.
 */
export async function fetchStream(start: URL, options: FetchStreamOptions): Promise<FetchedStream> {
  const done = new AbortController()
  const signal = AbortSignal.any([
    done.signal,
    AbortSignal.timeout(options.timeoutMs),
    ...(options.signal === undefined ? [] : [options.signal]),
  ])
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
    throw asEgressError(start, error)
  }
}

/** What a request failed with, as an error of the catalogue. */
export function asEgressError(url: URL, error: unknown): BowlineError {
  if (isBowlineError(error)) return error
  const cause = Error.isError(error) ? error.cause : undefined
  if (isBowlineError(cause)) return cause
  const facts = [cause, error].find((each) => Error.isError(each) && each.message !== '')
  // OpenSSL puts its reason among addresses and the names of its source files.
  const reason = Error.isError(facts) && 'reason' in facts ? String(facts.reason) : undefined
  const why = reason ?? (Error.isError(facts) ? facts.message : 'the request failed')
  return new BowlineError('EGRESS_FAILED', `${url.origin} cannot be read: ${why}`, { cause: error })
}

async function follow(start: URL, options: FetchStreamOptions, signal: AbortSignal) {
  let url = start
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
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
      throw new BowlineError('EGRESS_REFUSED', `${url.origin} redirects to ${next.protocol}, which is no web address`)
    }
    next.username = ''
    next.password = ''
    url = next
  }
  throw new BowlineError('EGRESS_FAILED', `${start.origin} redirects more than ${maxRedirects} times`)
}

async function* bounded(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { maxBytes, onCut }: Pick<FetchStreamOptions, 'maxBytes' | 'onCut'>,
): AsyncGenerator<Uint8Array> {
  let left = maxBytes
  for await (const chunk of source) {
    if (left > 0) yield chunk.byteLength <= left ? chunk : chunk.subarray(0, left)
    left -= chunk.byteLength
    if (left < 0) {
      onCut?.()
      return
    }
  }
}
