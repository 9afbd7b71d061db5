import type { Protocol } from '../../cdp/protocol.ts'
import { callerHeader, mayForwardHeaders } from '../../kit/forward-headers.ts'
import { cookieNameOf, withoutCookies } from '../fetch/cookie-header.ts'
import type { AdLists } from './ad-lists.ts'
import type { Tab } from './tab.ts'
import type { MayFollow } from '../../kit/may-follow.ts'

/** Options of `interceptRequests`. */
export interface InterceptOptions {
  readonly url: string
  /** Headers of the caller. Sent only to the origin of the page. */
  readonly headers: Readonly<Record<string, string>>
  /** Requests that these lists block fail. */
  readonly adLists: AdLists | undefined
  /** Whether certificates of sites are not checked. */
  readonly skipTlsVerification: boolean
  /** Whether the tab and its frames may open another URL than that of the page. Default: any. */
  readonly mayFollow?: MayFollow | undefined
}

/** Outcome of `interceptRequests`. */
export interface Interception {
  /** Patterns of the intercepted requests: none if there is nothing to change. */
  readonly patterns: readonly Protocol.Fetch.RequestPattern[]
  /**
   * Returns a redirect that was stopped because its `Referer` or `Origin` must change. Navigate the
   * tab to it, and call this again after each navigation. Once it has returned undefined, redirects
   * are no longer stopped.
   */
  readonly nextStop: () => string | undefined
}

/** Adds headers to the requests of a page, and blocks advertisements and refused redirects. */
export async function interceptRequests(
  tab: Tab,
  { url, headers, adLists, mayFollow, skipTlsVerification }: InterceptOptions,
): Promise<Interception> {
  const isCookie = (name: string): boolean => name.toLowerCase() === 'cookie'
  const all = Object.entries(headers).map(([name, value]) => ({ name, value }))
  const added = all.filter(({ name }) => !isCookie(name))
  const cookieHeader = await mergeCookies(tab, { url, headers })
  const lists = adLists?.isReady() === true ? adLists : undefined
  if (all.length === 0 && lists === undefined && mayFollow === undefined) {
    return { patterns: [], nextStop: () => undefined }
  }
  const start = new URL(url)
  const hasReferer = added.some(({ name }) => name.toLowerCase() === 'referer')
  let stoppedAt: string | undefined
  let stopsLeft = maxStops
  const isAd = ({ resourceType: type, frameId, request }: Protocol.Fetch.RequestPausedEvent): boolean =>
    // Never block the page itself.
    !(type === 'Document' && frameId === tab.targetId) && lists?.isAd({ url: request.url, pageUrl: url, type }) === true
  const isRefused = ({ resourceType, frameId, request }: Protocol.Fetch.RequestPausedEvent): boolean =>
    resourceType === 'Document' && mayFollow?.(new URL(request.url), frameId !== tab.targetId) === false
  tab.on(({ method, params, sessionId = '' }) => {
    if (method !== 'Fetch.requestPaused' || isResponse(params)) return
    const { requestId, request, redirectedRequestId, resourceType, frameId } = params
    const call = tab.callIn(sessionId)
    const fail = (errorReason: Protocol.Network.ErrorReason): void =>
      ignoringNavigation(call('Fetch.failRequest', { requestId, errorReason }))
    if (isAd(params) || isRefused(params)) return fail('BlockedByClient')
    const isOwn = mayForwardHeaders(start, new URL(request.url))
    const isRestarted = redirectedRequestId !== undefined && (isOwn ? hasLost(request, added) : hasReferer)
    const isPage = resourceType === 'Document' && frameId === tab.targetId
    const isUnverified = skipTlsVerification && request.url.startsWith('https:')
    if (isRestarted && isPage && isUnverified && stopsLeft > 0) {
      stopsLeft -= 1
      stoppedAt = request.url
      return fail('Aborted')
    }
    // If the URL is set, Chromium verifies the certificate again.
    const sentUrl = isRestarted && !(isOwn && isUnverified) ? { url: request.url } : {}
    const send = async (changed: Continued): Promise<unknown> =>
      call('Fetch.continueRequest', { requestId, ...changed, ...sentUrl })
    if (!isOwn) return ignoringNavigation(send(isRestarted ? withoutReferer(request) : {}))
    if (cookieHeader === undefined) return ignoringNavigation(send(withHeaders(request, added)))
    const sendWithCookies = async (): Promise<unknown> => {
      const value = await cookieHeader(request.url)
      return send(withHeaders(request, [...added, { name: 'Cookie', value }]))
    }
    ignoringNavigation(sendWithCookies())
  })
  const isLimited = lists === undefined && mayFollow === undefined && !hasReferer
  const patterns = requestPatterns(isLimited ? start : undefined)
  await tab.call('Fetch.enable', { patterns: [...patterns] })
  const nextStop = (): string | undefined => {
    const stop = stoppedAt
    stoppedAt = undefined
    if (stop === undefined) stopsLeft = 0
    return stop
  }
  return { patterns, nextStop }
}

/** Returns patterns of requests to the origin of a page, with HTTP or HTTPS, or of all requests. */
function requestPatterns(page: URL | undefined): readonly Protocol.Fetch.RequestPattern[] {
  const origins = page && [page.origin, page.origin.replace(/^http:/, 'https:')]
  const urls = origins?.map((origin) => `${origin}/*`) ?? ['*']
  return [...new Set(urls)].map((urlPattern) => ({ urlPattern, requestStage: 'Request' as const }))
}

/** Maximum number of stopped redirects per page. Chromium follows as many. */
const maxStops = 20

/** Returns the `Cookie` header for a URL. */
type CookieHeader = (url: string) => Promise<string>

/**
 * Adds the browser's cookies to the caller's, which otherwise replace them. Those that a site has
 * set since the start win, and those of a profile do not. Undefined if the caller has none.
 */
async function mergeCookies(
  tab: Tab,
  { url: start, headers }: Pick<InterceptOptions, 'url' | 'headers'>,
): Promise<CookieHeader | undefined> {
  const callerCookies = callerHeader(headers, 'cookie')
  if (callerCookies === undefined) return undefined
  const read = async (url: string): Promise<readonly Protocol.Network.Cookie[]> =>
    (await tab.call('Network.getCookies', { urls: [url] })).cookies
  const atStart = new Set((await read(start)).map(identityOf))
  return async (url) => {
    const stored = await read(url).catch(() => [])
    const later = stored.filter((cookie) => !atStart.has(identityOf(cookie)))
    const kept = withoutCookies(callerCookies, new Set(later.map(({ name }) => name)))
    const own = new Set((kept ?? '').split(';').map(cookieNameOf))
    const added = stored.filter((cookie) => later.includes(cookie) || !own.has(cookie.name))
    return [kept, ...added.map(({ name, value }) => `${name}=${value}`)].filter((each) => each !== undefined).join('; ')
  }
}

function identityOf({ name, value, domain, path }: Protocol.Network.Cookie): string {
  return JSON.stringify([name, value, domain, path])
}

/** Ignores the error of a command on a request. It fails if the page has navigated. */
function ignoringNavigation(command: Promise<unknown>): void {
  command.catch(() => undefined)
}

type Continued = Omit<Protocol.Fetch.ContinueRequestRequest, 'requestId'>

function withHeaders({ headers }: Protocol.Network.Request, added: readonly Protocol.Fetch.HeaderEntry[]): Continued {
  if (added.length === 0) return {}
  const replaced = new Set(added.map(({ name }) => name.toLowerCase()))
  const kept = Object.entries(headers).filter(([name]) => !replaced.has(name.toLowerCase()))
  return { headers: [...kept.map(([name, value]) => ({ name, value })), ...added] }
}

/**
 * Whether a redirected request has lost an added `Origin` or `Referer`. If the request continues
 * without a URL, Chromium rejects a new `Origin` and ignores a new `Referer`.
 */
function hasLost({ headers }: Protocol.Network.Request, added: readonly Protocol.Fetch.HeaderEntry[]): boolean {
  const present = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  return added.some(({ name }) => /^(?:origin|referer)$/i.test(name) && !present.has(name.toLowerCase()))
}

/**
 * Empties `Referer`, which Chromium repeats after redirects to other origins, unlike the other
 * headers. It ignores changed headers of a redirected request without a URL.
 */
function withoutReferer(request: Protocol.Network.Request): Continued {
  return withHeaders(request, [{ name: 'Referer', value: '' }])
}

/** Whether a request is paused after its response has arrived. */
export function isResponse(event: Protocol.Fetch.RequestPausedEvent): boolean {
  return event.responseStatusCode !== undefined || event.responseErrorReason !== undefined
}
