import { errors } from 'undici'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'

/** Converts a network error to a SCRAPE_* error. Other BowlineErrors are returned unchanged. */
export function toFetchError(error: unknown, url: string): unknown {
  const { host, hostname } = new URL(url)
  if (
    isBowlineError(error) &&
    error.code === 'EGRESS_FAILED' &&
    /^(?:ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/.test(codeOf(error.cause))
  ) {
    return new BowlineError('SCRAPE_DNS_RESOLUTION_ERROR', `The host name ${hostname} does not resolve`, {
      cause: error,
    })
  }
  if (isBowlineError(error) && error.code === 'EGRESS_FAILED') {
    return new BowlineError('SCRAPE_SITE_ERROR', error.message, { cause: error })
  }
  if (isBowlineError(error) || !Error.isError(error)) return error
  const code = codeOf(error)
  if (certificateCode.test(code)) {
    // Node.js appends advice for whoever runs the server.
    return certificateError(host, error.message.replace(/; if the root CA is installed locally.*$/s, ''), error)
  }
  if (tlsCode.test(code)) return tlsError(host, 'reason' in error ? String(error.reason) : code, error)
  if (decompressionCode.test(code)) {
    const message = `The response of ${host} cannot be decompressed: ${error.message}`
    return new BowlineError('SCRAPE_SITE_ERROR', message, { cause: error })
  }
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return error
  const causeError = isBowlineError(error.cause) ? toFetchError(error.cause, url) : undefined
  return (
    causeError ??
    new BowlineError('SCRAPE_SITE_ERROR', `${host} closed the connection: ${error.message}`, { cause: error })
  )
}

/** Whether an error of `toFetchError` is due to a response that is not valid HTTP. */
export function isMalformedResponse(error: unknown): boolean {
  const cause = isBowlineError(error) ? error.cause : undefined
  if (cause instanceof errors.HTTPParserError || cause instanceof errors.ResponseContentLengthMismatchError) return true
  // An informational response that the client did not ask for.
  return cause instanceof errors.SocketError && cause.message === 'bad response'
}

/** Returns the error for a certificate that is not valid. */
export function certificateError(host: string, reason: string, cause?: unknown): BowlineError {
  return new BowlineError('SCRAPE_SSL_ERROR', `The certificate of ${host} is not valid: ${reason}`, {
    hint: 'Set `skipTlsVerification` to accept it.',
    cause,
  })
}

/** Returns the error for a TLS handshake that failed, other than for the certificate. */
export function tlsError(host: string, reason: string, cause?: unknown): BowlineError {
  return new BowlineError('SCRAPE_SSL_ERROR', `TLS handshake with ${host} failed: ${reason}`, {
    hint: 'If the site does not support TLS, use `http:` instead of `https:`.',
    cause,
  })
}

function codeOf(error: unknown): string {
  return Error.isError(error) && 'code' in error && typeof error.code === 'string' ? error.code : ''
}

const certificateCode = /^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)|CERT/
/** Codes of zlib (gzip and deflate), Brotli and Zstandard. */
const decompressionCode = /^(?:Z_|ERR_(?:BROTLI|ZLIB|_ERROR)|ZSTD)/
const tlsCode = /^(?:ERR_TLS|ERR_SSL|EPROTO)/
