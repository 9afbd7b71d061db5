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
  /** Redirect target that the tab has to open itself, to open it without the `Referer` header. */
  readonly stoppedAt: () => string | undefined
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
    return { patterns: [], stoppedAt: () => undefined }
  }
  const start = new URL(url)
  const hasReferer = added.some(({ name }) => name.toLowerCase() === 'referer')
  let stoppedAt: string | undefined
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
    // Unlike the other headers, Chromium repeats `Referer` after redirects to other origins.
    const isLeaking = hasReferer && !isOwn && redirectedRequestId !== undefined
    const isPage = resourceType === 'Document' && frameId === tab.targetId
    if (isLeaking && isPage && skipTlsVerification && stoppedAt === undefined) {
      // `withoutReferer` makes Chromium check the certificate again.
      stoppedAt = request.url
      return fail('Aborted')
    }
    const send = async (changed: Continued): Promise<unknown> =>
      call('Fetch.continueRequest', { requestId, ...changed })
    if (!isOwn) return ignoringNavigation(send(isLeaking ? withoutReferer(request) : {}))
    if (cookieHeader === undefined) return ignoringNavigation(send(withHeaders(request, added)))
    const sendWithCookies = async (): Promise<unknown> => {
      const value = await cookieHeader(request.url)
      return send(withHeaders(request, [...added, { name: 'Cookie', value }]))
    }
    ignoringNavigation(sendWithCookies())
  })
  const origins = [start.origin, start.origin.replace(/^http:/, 'https:')]
  const isLimited = lists === undefined && mayFollow === undefined && !hasReferer
  const urls = isLimited ? origins.map((origin) => `${origin}/*`) : ['*']
  const patterns = [...new Set(urls)].map((urlPattern) => ({ urlPattern, requestStage: 'Request' as const }))
  await tab.call('Fetch.enable', { patterns })
  return { patterns, stoppedAt: () => stoppedAt }
}

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
 * Empties `Referer` and sets the URL. Chromium ignores changed headers of a redirected request
 * without a URL, and sends the previous `Referer` if the header is missing.
 */
function withoutReferer(request: Protocol.Network.Request): Continued {
  return { ...withHeaders(request, [{ name: 'Referer', value: '' }]), url: request.url }
}

/** Whether a request is paused after its response has arrived. */
export function isResponse(event: Protocol.Fetch.RequestPausedEvent): boolean {
  return event.responseStatusCode !== undefined || event.responseErrorReason !== undefined
}
