import { withoutCredentials } from '../kit/without-credentials.ts'
import type { Protocol } from '../cdp/protocol.ts'
import type { CdpHeaders, CdpResponse, RequestSent } from './cdp-network.ts'
import type { HarCookie, HarEntry, HarTimings, NameValue, WebSocketMessage } from './har-types.ts'
import { isoTime } from '../kit/iso-time.ts'

/** A response body, or why it was not recorded. */
export type Body = { readonly text: string; readonly isBase64: boolean } | { readonly comment: string } | undefined

/** A request and its response. */
export interface Exchange {
  readonly sent: RequestSent
  readonly pageref: string | undefined
  /**
   * Headers as sent over the network. `sent.request.headers` has only those visible to the page.
   */
  readonly sentHeaders: CdpHeaders | undefined
  readonly response: CdpResponse | undefined
  readonly receivedHeaders: CdpHeaders | undefined
  /** Seconds on the browser's monotonic clock. `undefined` if the request never ended. */
  readonly endedAt: number | undefined
  readonly contentBytes: number
  readonly transferBytes: number | undefined
  readonly error: string | undefined
  readonly body: Body
  readonly messages: readonly WebSocketMessage[] | undefined
}

/**
 * Converts an exchange to a HAR 1.2 entry. Redacts cookies and credentials, including those in
 * URLs, unless `withSecrets`.
 */
export function toHarEntry(exchange: Exchange, options: { readonly withSecrets: boolean }): HarEntry {
  const { sent, pageref, response, error, messages } = exchange
  const redact = options.withSecrets ? unredacted : redacted
  const redactHeader = (header: NameValue): NameValue => (isSecret(header.name) ? redact(header) : header)
  const redactUrl = options.withSecrets ? (url: string) => url : withoutCredentials
  const sentHeaders = listHeaders(exchange.sentHeaders ?? sent.request.headers)
  const receivedHeaders = listHeaders(exchange.receivedHeaders ?? response?.headers ?? {})
  const timings = timingsOf(exchange)
  const httpVersion = versionOf(response?.protocol)
  return {
    ...(pageref === undefined ? {} : { pageref }),
    startedDateTime: isoTime(sent.wallTime * 1000),
    time: [timings.blocked, timings.dns, timings.connect, timings.send, timings.wait, timings.receive]
      .filter((ms) => ms > 0)
      .reduce((sum, ms) => sum + ms, 0),
    request: {
      method: sent.request.method,
      url: redactUrl(sent.request.url),
      httpVersion,
      cookies: sentCookies(valueOf(sentHeaders, 'cookie')).map((cookie) => redact(cookie)),
      headers: sentHeaders.map(redactHeader),
      queryString: listQuery(sent.request.url),
      ...postDataOf(exchange, valueOf(sentHeaders, 'content-type')),
      headersSize: -1,
      bodySize: Buffer.byteLength(sent.request.postData ?? ''),
    },
    response: {
      status: response?.status ?? 0,
      statusText: response?.statusText ?? '',
      httpVersion,
      cookies: receivedCookies(receivedHeaders).map((cookie) => redact(cookie)),
      headers: receivedHeaders.map(({ name, value }) =>
        redactHeader({ name, value: isLocation(name) ? redactUrl(value) : value }),
      ),
      content: contentOf(exchange),
      redirectURL: redactUrl(valueOf(receivedHeaders, 'location') ?? ''),
      headersSize: -1,
      bodySize: -1,
      _transferSize: exchange.transferBytes ?? -1,
      ...(error === undefined ? {} : { _error: error }),
    },
    cache: {},
    timings,
    ...(response?.remoteIPAddress ? { serverIPAddress: response.remoteIPAddress.replace(/^\[|\]$/g, '') } : {}),
    ...(response?.connectionId ? { connection: String(response.connectionId) } : {}),
    _resourceType: (sent.type ?? 'other').toLowerCase(),
    ...(messages === undefined ? {} : { _webSocketMessages: messages }),
  }
}

/**
 * Maximum number of query parameters, of cookies and of values of a header that are listed. The URL
 * has all parameters. A million of them in a URL of 2 MB took 20 s.
 */
const maxPairs = 1000

function listQuery(url: string): readonly NameValue[] {
  const query = URL.parse(url)?.search.slice(1).split('&', maxPairs).join('&') ?? ''
  return Array.from(new URLSearchParams(query), ([name, value]) => ({ name, value }))
}

const secretHeaders = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key'])

function isSecret(name: string): boolean {
  return secretHeaders.has(name.toLowerCase())
}

function isLocation(name: string): boolean {
  return name.toLowerCase() === 'location'
}

function unredacted<Item extends NameValue>(item: Item): Item {
  return item
}

function redacted<Item extends NameValue>(item: Item): Item {
  return { ...item, value: '[redacted]' }
}

function listHeaders(headers: CdpHeaders): readonly NameValue[] {
  return Object.entries(headers).flatMap(([name, values]) =>
    values.split('\n', maxPairs).map((value) => ({ name, value })),
  )
}

function valueOf(headers: readonly NameValue[], wanted: string): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === wanted)?.value
}

function splitPair(pair: string): NameValue {
  const end = pair.indexOf('=')
  return { name: pair.slice(0, Math.max(0, end)).trim(), value: pair.slice(end + 1).trim() }
}

function sentCookies(header: string | undefined): readonly HarCookie[] {
  return (header ?? '').split(';', maxPairs).filter(Boolean).map(splitPair)
}

function receivedCookies(headers: readonly NameValue[]): readonly HarCookie[] {
  const cookies = headers.filter(({ name }) => name.toLowerCase() === 'set-cookie')
  return cookies.slice(0, maxPairs).map(({ value }) => toCookie(value))
}

function toCookie(header: string): HarCookie {
  const [pair = '', ...attributes] = header.split(';', maxPairs)
  const attributeValues = new Map(attributes.map(splitAttribute))
  const [path, domain] = [attributeValues.get('path'), attributeValues.get('domain')]
  const expires = new Date(attributeValues.get('expires') ?? Number.NaN)
  return {
    ...splitPair(pair),
    ...(path === undefined ? {} : { path }),
    ...(domain === undefined ? {} : { domain }),
    ...(Number.isNaN(expires.getTime()) ? {} : { expires: expires.toISOString() }),
    httpOnly: attributeValues.has('httponly'),
    secure: attributeValues.has('secure'),
  }
}

function splitAttribute(attribute: string): readonly [string, string] {
  const [name = '', value = ''] = attribute.split(/=(.*)/s)
  return [name.trim().toLowerCase(), value.trim()]
}

function postDataOf({ sent, body }: Exchange, mimeType = ''): Pick<HarEntry['request'], 'postData'> {
  const { postData } = sent.request
  if (postData === undefined) return {}
  const isLeftOut = body !== undefined && 'comment' in body && body.comment === bodiesNotRecorded
  return { postData: { mimeType, params: [], text: isLeftOut ? '' : postData } }
}

/** Comment in place of a body if bodies are not recorded. */
export const bodiesNotRecorded = 'bodies are not recorded'

function contentOf({ response, contentBytes, body }: Exchange): HarEntry['response']['content'] {
  const content = { size: contentBytes, mimeType: response?.mimeType ?? 'x-unknown' }
  if (body === undefined) return content
  if ('comment' in body) return { ...content, comment: body.comment }
  return { ...content, text: body.text, ...(body.isBase64 ? { encoding: 'base64' } : {}) }
}

function versionOf(protocol = ''): string {
  return (
    { 'http/1.0': 'HTTP/1.0', 'http/1.1': 'HTTP/1.1', h2: 'HTTP/2.0', h3: 'HTTP/3.0' }[protocol] ??
    (protocol || 'unknown')
  )
}

function timingsOf({ sent, response, endedAt }: Exchange): HarTimings {
  const timing = response?.timing
  if (timing === undefined) {
    const waitMs = endedAt === undefined ? 0 : Math.max(0, (endedAt - sent.timestamp) * 1000)
    return { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 0, wait: waitMs, receive: 0 }
  }
  const queuedMs = Math.max(0, (timing.requestTime - sent.timestamp) * 1000)
  const firstMs = [timing.dnsStart, timing.connectStart, timing.sendStart].find((ms) => ms >= 0) ?? 0
  const endMs = endedAt === undefined ? timing.receiveHeadersEnd : (endedAt - timing.requestTime) * 1000
  return {
    blocked: queuedMs + firstMs,
    dns: span(timing, 'dns'),
    connect: span(timing, 'connect'),
    ssl: span(timing, 'ssl'),
    send: Math.max(0, timing.sendEnd - timing.sendStart),
    wait: Math.max(0, timing.receiveHeadersEnd - timing.sendEnd),
    receive: Math.max(0, endMs - timing.receiveHeadersEnd),
  }
}

function span(timing: Protocol.Network.ResourceTiming, phase: 'dns' | 'connect' | 'ssl'): number {
  const start = timing[`${phase}Start`]
  return start < 0 ? -1 : Math.max(0, timing[`${phase}End`] - start)
}
