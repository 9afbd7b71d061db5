import type { Protocol } from '../../cdp/protocol.ts'
import { mayForwardHeaders } from '../../kit/forward-headers.ts'
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
  /** Whether the tab and its frames may open another URL than that of the page. Default: any. */
  readonly mayFollow?: MayFollow | undefined
}

/**
 * Adds headers to the requests of a page, and blocks advertisements and refused redirects. Returns
 * the patterns of the intercepted requests: none if nothing of this is required.
 */
export async function interceptRequests(
  tab: Tab,
  { url, headers, adLists, mayFollow }: InterceptOptions,
): Promise<readonly Protocol.Fetch.RequestPattern[]> {
  const added = Object.entries(headers).map(([name, value]) => ({ name, value }))
  const lists = adLists?.isReady() === true ? adLists : undefined
  if (added.length === 0 && lists === undefined && mayFollow === undefined) return []
  const start = new URL(url)
  const replaced = new Set(added.map(({ name }) => name.toLowerCase()))
  const isAd = ({ resourceType: type, frameId, request }: Protocol.Fetch.RequestPausedEvent): boolean =>
    // Never block the page itself.
    !(type === 'Document' && frameId === tab.targetId) && lists?.isAd({ url: request.url, pageUrl: url, type }) === true
  const isRefused = ({ resourceType, frameId, request }: Protocol.Fetch.RequestPausedEvent): boolean =>
    resourceType === 'Document' && mayFollow?.(new URL(request.url), frameId !== tab.targetId) === false
  tab.on(({ method, params, sessionId = '' }) => {
    if (method !== 'Fetch.requestPaused' || isResponse(params)) return
    const { requestId, request } = params
    const call = tab.callIn(sessionId)
    if (isAd(params) || isRefused(params)) {
      // Fails if the page has navigated.
      call('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' }).catch(() => undefined)
      return
    }
    const kept = Object.entries(request.headers).filter(([name]) => !replaced.has(name.toLowerCase()))
    const isPlain = added.length === 0 || !mayForwardHeaders(start, new URL(request.url))
    const changed = isPlain ? undefined : [...kept.map(([name, value]) => ({ name, value })), ...added]
    // Fails if the page has navigated.
    call('Fetch.continueRequest', { requestId, headers: changed }).catch(() => undefined)
  })
  const origins = [start.origin, start.origin.replace(/^http:/, 'https:')]
  const urls = lists === undefined && mayFollow === undefined ? origins.map((origin) => `${origin}/*`) : ['*']
  const patterns = [...new Set(urls)].map((urlPattern) => ({ urlPattern, requestStage: 'Request' as const }))
  await tab.call('Fetch.enable', { patterns })
  return patterns
}

/** Whether a request is paused after its response has arrived. */
export function isResponse(event: Protocol.Fetch.RequestPausedEvent): boolean {
  return event.responseStatusCode !== undefined || event.responseErrorReason !== undefined
}
