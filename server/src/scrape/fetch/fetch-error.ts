import { BowlineError, isBowlineError } from 'bowline/kit/errors'

const certificateCode = /^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)|CERT/
const tlsCode = /^(?:ERR_TLS|ERR_SSL|EPROTO)/

/** Says what kept a page from being fetched, in the codes of the API. Errors that have one already come through. */
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
    return new BowlineError('SCRAPE_SSL_ERROR', `The certificate of ${host} was not accepted: ${error.message}`, {
      cause: error,
    })
  }
  if (tlsCode.test(code)) return tlsError(host, 'reason' in error ? String(error.reason) : code, error)
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return error
  const inner = isBowlineError(error.cause) ? toFetchError(error.cause, url) : undefined
  return inner ?? new BowlineError('SCRAPE_SITE_ERROR', `${host} broke off: ${error.message}`, { cause: error })
}

/** What keeps a browser or us from an encrypted connection to a host, other than its certificate. */
export function tlsError(host: string, why: string, cause?: unknown): BowlineError {
  return new BowlineError('SCRAPE_SSL_ERROR', `No encrypted connection to ${host} came about: ${why}`, {
    hint: 'If the site has no encryption, write `http:` in place of `https:`.',
    cause,
  })
}

function codeOf(error: unknown): string {
  return Error.isError(error) && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
