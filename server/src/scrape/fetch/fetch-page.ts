import { setImmediate } from 'node:timers/promises'
import type { Agent } from 'undici'
import type { Abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { decodePercent } from '../../kit/decode-percent.ts'
import { redirectTarget } from '../../kit/redirect-target.ts'
import { crossOriginHeaders, mayForwardHeaders } from '../../kit/forward-headers.ts'
import type { LoadedPage } from './loaded-page.ts'
import { browserHeaders, type BrowserIdentity } from './browser-headers.ts'
import { classifyBody } from './classify-body.ts'
import { CookieJar } from './cookie-jar.ts'
import { toFetchError } from './fetch-error.ts'
import { metaRefreshTarget } from './meta-refresh.ts'
import { readBody, type ReceivedBody } from './read-body.ts'

/** How a page is fetched. */
export interface FetchOptions extends Abortable {
  /** Makes judged connections. */
  readonly dispatcher: Agent
  readonly identity: BrowserIdentity
  /** Headers of the caller. They override ours; other origins get the user agent alone. */
  readonly headers: Readonly<Record<string, string>>
  /** Cookies that a browser has for the address, each as `name=value`. Default: none. */
  readonly cookies?: readonly string[] | undefined
}

const maxRedirects = 10

/** Bytes of a page that are read, unpacked. PDFs may be larger. */
const maxPageBytes = 20_000_000
const maxFileBytes = 100_000_000

/** Fetches a page, redirects followed. Throws SCRAPE_SITE_ERROR, SCRAPE_SSL_ERROR, SCRAPE_DNS_RESOLUTION_ERROR, EGRESS_REFUSED or the signal's reason. */
export async function fetchPage(start: string, options: FetchOptions): Promise<LoadedPage> {
  const jar = new CookieJar()
  jar.store(new URL(start), options.cookies ?? [])
  let url = new URL(start)
  for (let hop = 0; hop <= maxRedirects; hop += 1) {
    options.signal?.throwIfAborted()
    const answer = await sendRequest(url, mayForwardHeaders(new URL(start), url), jar, options).catch(
      (error: unknown) => {
        options.signal?.throwIfAborted()
        throw toFetchError(error, url.href)
      },
    )
    if (answer.kind === 'redirect') {
      url = answer.to
      continue
    }
    await yieldFor(answer.body.bytes)
    const page = toPage(url, answer)
    await yieldFor(answer.body.bytes)
    const next = page.body.kind === 'html' ? metaRefreshTarget(page.body.html, url.href) : undefined
    if (next === undefined) return page
    url = new URL(next)
  }
  throw new BowlineError('SCRAPE_SITE_ERROR', `${start} redirects more than ${maxRedirects} times`)
}

/** Reading, decoding and cleaning a large page take tens of milliseconds each: other work goes between. */
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
      readonly body: ReceivedBody
    }

async function sendRequest(
  url: URL,
  takesHeaders: boolean,
  jar: CookieJar,
  options: FetchOptions,
): Promise<FetchedResponse> {
  const cookie = jar.headerFor(url)
  const sent = takesHeaders ? options.headers : (crossOriginHeaders(options.headers) ?? {})
  const given = Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value] as const)
  const response = await options.dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'GET',
    headers: {
      ...browserHeaders(options.identity),
      ...(cookie === undefined ? {} : { cookie }),
      ...authorizationOf(url),
      ...Object.fromEntries(given),
    },
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
  const { statusCode, headers, body } = response
  jar.store(url, [headers['set-cookie'] ?? []].flat())
  const to = redirectTarget(statusCode, first(headers['location']), url)
  if (to !== undefined && /^https?:$/.test(to.protocol)) {
    // Only a body that is read, or thrown away, gives its connection back.
    await body.dump({ limit: 100_000 })
    return { kind: 'redirect', to }
  }
  const contentType = first(headers['content-type'])
  const maxBytes = /html|text\/|json|xml/i.test(contentType ?? '') ? maxPageBytes : maxFileBytes
  return {
    kind: 'page',
    statusCode,
    contentType,
    retryAfter: first(headers['retry-after']),
    body: await readBody(body, [headers['content-encoding'] ?? []].flat().join(','), maxBytes),
  }
}

/** What the user name and password of an address say to its site, as browsers say it. */
function authorizationOf({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {}
  const pair = [username, password].map(decodePercent).join(':')
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}

function toPage(
  url: URL,
  { statusCode, contentType, retryAfter, body }: Extract<FetchedResponse, { kind: 'page' }>,
): LoadedPage {
  const content = classifyBody(body.bytes, contentType)
  const size = `${body.bytes.length / 1e6} MB`
  if (body.isTruncated && content.kind === 'pdf') {
    throw new BowlineError('SCRAPE_UNSUPPORTED_FILE_ERROR', `The PDF at ${url.href} is larger than ${size}`)
  }
  const warning = body.isTruncated ? `The page is longer than ${size}: the rest was left out.` : undefined
  return { url: url.href, statusCode, contentType, retryAfter, body: content, warning }
}

function first(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}
