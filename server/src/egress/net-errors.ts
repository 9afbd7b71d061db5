import { STATUS_CODES } from 'node:http'
import { isBowlineError } from 'bowline/kit/errors'

/** Chromium's name of the reason why a connection failed. */
export type NetError = (typeof netErrors)[number]

export const netErrors = [
  'ERR_ADDRESS_UNREACHABLE',
  'ERR_BLOCKED_BY_ADMINISTRATOR',
  'ERR_CONNECTION_REFUSED',
  'ERR_CONNECTION_RESET',
  'ERR_CONNECTION_TIMED_OUT',
  'ERR_EMPTY_RESPONSE',
  'ERR_NAME_NOT_RESOLVED',
  'ERR_PROXY_CONNECTION_FAILED',
  'ERR_TUNNEL_CONNECTION_FAILED',
] as const

/** Chromium's numbers of the net errors. */
export const netErrorNumbers: Readonly<Record<NetError, number>> = {
  ERR_ADDRESS_UNREACHABLE: -109,
  ERR_BLOCKED_BY_ADMINISTRATOR: -22,
  ERR_CONNECTION_REFUSED: -102,
  ERR_CONNECTION_RESET: -101,
  ERR_CONNECTION_TIMED_OUT: -118,
  ERR_EMPTY_RESPONSE: -324,
  ERR_NAME_NOT_RESOLVED: -105,
  ERR_PROXY_CONNECTION_FAILED: -130,
  ERR_TUNNEL_CONNECTION_FAILED: -111,
}

/** The net error of an EGRESS_REFUSED or EGRESS_FAILED. Default: `ERR_TUNNEL_CONNECTION_FAILED`. */
export function netErrorOf(error: unknown): NetError {
  if (!isBowlineError(error)) return 'ERR_TUNNEL_CONNECTION_FAILED'
  if (error.code === 'EGRESS_REFUSED') return 'ERR_BLOCKED_BY_ADMINISTRATOR'
  const { netError } = (error.details ?? {}) as { readonly netError?: unknown }
  return netErrors.find((each) => each === netError) ?? 'ERR_TUNNEL_CONNECTION_FAILED'
}

/** The net error of a failed `connect`. */
export function netErrorOfConnect(error: Error): NetError {
  // An AggregateError holds the errors of all addresses of a name. Chromium reports the last one.
  const last: unknown = error instanceof AggregateError ? error.errors.at(-1) : error
  const code = Error.isError(last) && 'code' in last ? String(last.code) : ''
  return byCode.get(code) ?? 'ERR_ADDRESS_UNREACHABLE'
}

const byCode: ReadonlyMap<string, NetError> = new Map([
  ['ECONNREFUSED', 'ERR_CONNECTION_REFUSED'],
  ['ECONNRESET', 'ERR_CONNECTION_RESET'],
  ['ETIMEDOUT', 'ERR_CONNECTION_TIMED_OUT'],
])

/**
 * Response heads that make Chromium report a specific error. It reports every failure behind a
 * proxy as `ERR_TUNNEL_CONNECTION_FAILED`. To convey the cause, the proxy sends a malformed head
 * whose error code no sane server causes, and `BrowserMessages` replaces that code with the actual
 * one.
 *
 * The error page that full Chromium draws still names the code of
 * the malformed head: the browser process renders its text, and no CDP message contains it. To
 * replace it, the server would have to run a script in the document of every failed navigation,
 * which clients can observe.
 */
export const rejectedHeads: ReadonlyMap<NetError, RejectedHead> = new Map([
  [
    'ERR_CONNECTION_REFUSED',
    { reportedAs: ['ERR_RESPONSE_HEADERS_MULTIPLE_LOCATION'], text: head(502, ['Location: a', 'Location: b']) },
  ],
  [
    'ERR_NAME_NOT_RESOLVED',
    {
      reportedAs: ['ERR_RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH'],
      text: head(502, ['Content-Length: 1', 'Content-Length: 2']),
    },
  ],
  [
    'ERR_BLOCKED_BY_ADMINISTRATOR',
    {
      reportedAs: ['ERR_RESPONSE_HEADERS_MULTIPLE_CONTENT_DISPOSITION'],
      text: head(403, ['Content-Disposition: a', 'Content-Disposition: b']),
    },
  ],
  [
    'ERR_CONNECTION_TIMED_OUT',
    // Chromium reads at most 256 kB of headers.
    { reportedAs: ['ERR_RESPONSE_HEADERS_TOO_BIG'], text: head(504, [`X-Fill: ${'x'.repeat(264 * 1024)}`]) },
  ],
  [
    'ERR_ADDRESS_UNREACHABLE',
    // The second one is for plain http.
    { reportedAs: ['ERR_PROXY_AUTH_UNSUPPORTED', 'ERR_UNEXPECTED_PROXY_AUTH'], text: head(407, ['Content-Length: 0']) },
  ],
])

/**
 * Failures that no response head conveys to a plain http request. Chromium reports
 * `ERR_EMPTY_RESPONSE` when the connection closes without one.
 */
export const closedWithoutResponse: ReadonlySet<NetError> = new Set([
  'ERR_ADDRESS_UNREACHABLE',
  'ERR_PROXY_CONNECTION_FAILED',
  'ERR_TUNNEL_CONNECTION_FAILED',
])

/** Failures that are reported with a SOCKS reply, or with a valid response to CONNECT. */
export const tunnelFailures: ReadonlySet<NetError> = new Set([
  'ERR_PROXY_CONNECTION_FAILED',
  'ERR_TUNNEL_CONNECTION_FAILED',
])

/** A malformed response head and the errors Chromium reports for it. */
export interface RejectedHead {
  readonly reportedAs: readonly string[]
  readonly text: string
}

function head(status: number, headers: readonly string[]): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers.join('\r\n')}\r\n\r\n`
}
