import { setImmediate } from 'node:timers/promises'
import { errors, type Agent } from 'undici'
import { abortable, type Abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { decodePercent } from '../../kit/decode-percent.ts'
import { redirectTarget } from '../../kit/redirect-target.ts'
import { callerHeader, crossOriginHeaders, mayForwardHeaders } from '../../kit/forward-headers.ts'
import { withWarnings, type FetchedPage } from './loaded-page.ts'
import { browserHeaders, type BrowserIdentity } from './browser-headers.ts'
import { classifyFile } from './classify-body.ts'
import { ScrapeCookies } from './scrape-cookies.ts'
import { toFetchError } from './fetch-error.ts'
import { metaRefreshTarget, refreshTarget } from './meta-refresh.ts'
import { readBody, type ReceivedBody } from './read-body.ts'
import type { MayFollow } from '../../kit/may-follow.ts'

/** Options of `fetchPage`. */
export interface FetchOptions extends Abortable {
  /** Connects through the egress proxy, which enforces the address policy. */
  readonly dispatcher: Agent
  readonly identity: BrowserIdentity
  /**
   * Headers of the caller. They override the defaults. Other origins get only `User-Agent` and
   * `Accept-Language`.
   */
  readonly headers: Readonly<Record<string, string>>
  /** Cookies that a browser has for the URL, each as a `Set-Cookie` header. Default: none. */
  readonly cookies?: readonly string[] | undefined
  /** Whether a redirect may lead to a URL. Default: to all. */
  readonly mayFollow?: MayFollow | undefined
  /** Throws if a redirect must not be followed. Default: all may. */
  readonly checkRedirect?: ((to: URL) => Promise<void>) | undefined
}

/** As many as Chromium follows. */
const maxRedirects = 20

/**
 * Maximum decompressed size of a page, in bytes. Longer pages are truncated. Files such as PDFs may
 * be larger.
 */
const maxPageBytes = 20_000_000
const maxFileBytes = 100_000_000

/**
 * Fetches a page and follows up to 20 redirects.
 * Throws SCRAPE_SITE_ERROR, SCRAPE_SSL_ERROR, SCRAPE_DNS_RESOLUTION_ERROR, EGRESS_REFUSED or the
 * signal's reason.
 */
export async function fetchPage(start: string, options: FetchOptions): Promise<FetchedPage> {
  const jar = new ScrapeCookies()
  jar.store(new URL(start), options.cookies ?? [])
  let url = new URL(start)
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    options.signal?.throwIfAborted()
    const response = await sendRequest(url, mayForwardHeaders(new URL(start), url), jar, options).catch(
      (error: unknown) => {
        options.signal?.throwIfAborted()
        throw toFetchError(error, url.href)
      },
    )
    if (response.kind === 'redirect') {
      url = await followed(response.to, options)
      continue
    }
    await yieldFor(response.body.bytes)
    const page = toPage(url, response)
    await yieldFor(response.body.bytes)
    const next = nextTarget(page, response.refresh)
    if (next === undefined) return page
    url = await followed(new URL(next), options)
  }
  throw new BowlineError('SCRAPE_SITE_ERROR', `${start} redirects more than ${maxRedirects} times`)
}

/** Returns where the `Refresh` header or the `<meta>` element of a page leads, if anywhere. */
function nextTarget({ body, url }: FetchedPage, refresh: string | undefined): string | undefined {
  if (body.kind !== 'html') return undefined
  return (refresh === undefined ? undefined : refreshTarget(refresh, url)) ?? metaRefreshTarget(body.html, url)
}

/** Returns the target of a redirect. Throws EGRESS_REFUSED if it may not be followed. */
async function followed(to: URL, { mayFollow = () => true, checkRedirect }: FetchOptions): Promise<URL> {
  if (mayFollow(to)) {
    await checkRedirect?.(to)
    return to
  }
  throw new BowlineError('EGRESS_REFUSED', `The page redirects to ${to.href.slice(0, 300)}, which is not allowed`, {
    hint: 'Add the URL to those of the request.',
  })
}

/**
 * Yields to other work: reading, decoding and posting a large page take tens of milliseconds each.
 */
async function yieldFor({ length }: Uint8Array): Promise<void> {
  return length > largeBytes ? setImmediate() : undefined
}

const largeBytes = 1_000_000

type FetchedResponse =
  | { readonly kind: 'redirect'; readonly to: URL }
  | {
      readonly kind: 'page'
      readonly statusCode: number
      readonly contentType: string | undefined
      readonly retryAfter: string | undefined
      readonly refresh: string | undefined
      readonly body: ReceivedBody
      readonly warning: string | undefined
    }

async function sendRequest(
  url: URL,
  forwardsHeaders: boolean,
  jar: ScrapeCookies,
  options: FetchOptions,
): Promise<FetchedResponse> {
  const callerHeaders = forwardsHeaders ? options.headers : (crossOriginHeaders(options.headers) ?? {})
  const overrides = Object.entries(callerHeaders).map(([name, value]) => [name.toLowerCase(), value] as const)
  const cookie = jar.headerFor(url, callerHeader(callerHeaders, 'cookie'))
  const request = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'GET' as const,
    headers: {
      ...browserHeaders(options.identity),
      ...authorizationOf(url),
      ...Object.fromEntries(overrides.filter(([name]) => name !== 'cookie')),
      ...(cookie === undefined ? {} : { cookie }),
    },
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  }
  // The library ignores the signal until it is connected.
  const send = async () => abortable(options.dispatcher.request(request), options.signal)
  const { statusCode, headers, body } = await send().catch(async (error: unknown) => {
    if (!wasReused(error)) throw error
    return send()
  })
  jar.store(url, [headers['set-cookie'] ?? []].flat())
  const to = redirectTarget(statusCode, first(headers['location']), url)
  if (to !== undefined && /^https?:$/.test(to.protocol)) {
    // The connection is reused only once the body has been consumed.
    await body.dump({ limit: 100_000 })
    return { kind: 'redirect', to }
  }
  // The last of several counts, as in browsers.
  const contentType = [headers['content-type']].flat().at(-1)
  const maxBytes = /html|text\/|json|xml/i.test(contentType ?? '') ? maxPageBytes : maxFileBytes
  return {
    kind: 'page',
    statusCode,
    contentType,
    retryAfter: first(headers['retry-after']),
    refresh: first(headers['refresh']),
    body: await readBody(body, [headers['content-encoding'] ?? []].flat().join(','), maxBytes),
    warning: to === undefined ? undefined : `The page redirects to a \`${to.protocol}\` URL, which was not followed.`,
  }
}

/**
 * Whether a site has closed a connection that had served earlier requests, instead of a response.
 * Sites close idle connections at any time, so browsers send the request again on a new one.
 */
function wasReused(error: unknown): boolean {
  return error instanceof errors.SocketError && (error.socket?.bytesRead ?? 0) > 0
}

/** Sends the user name and password of a URL as basic authentication, as browsers do. */
function authorizationOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {}
  const pair = [username, password].map(decodePercent).join(':')
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

function toPage(
  url: URL,
  { statusCode, contentType, retryAfter, body, warning }: Extract<FetchedResponse, { kind: 'page' }>,
): FetchedPage {
  const content = classifyFile(body.bytes, contentType, url.href)
  const size = `${body.bytes.length / 1e6} MB`
  if (body.isTruncated && (content.kind === 'pdf' || content.kind === 'document')) {
    const name = content.kind === 'pdf' ? 'PDF' : `${content.documentKind.toUpperCase()} file`
    throw new BowlineError('SCRAPE_UNSUPPORTED_FILE_ERROR', `The ${name} at ${url.href} is larger than ${size}`)
  }
  const page = { url: url.href, statusCode, contentType, retryAfter, body: content }
  return withWarnings(page, [
    warning,
    body.isTruncated ? `The page is longer than ${size}: the rest was omitted.` : undefined,
  ])
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}
