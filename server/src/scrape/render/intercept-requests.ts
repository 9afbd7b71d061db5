import { mayForwardHeaders } from '../../kit/forward-headers.ts'
import type { AdLists } from './ad-lists.ts'
import type { Tab } from './tab.ts'

/** Options of `interceptRequests`. */
export interface InterceptOptions {
  readonly url: string
  /** Headers of the caller. Sent only to the origin of the page. */
  readonly headers: Readonly<Record<string, string>>
  /** Requests that these lists block fail. */
  readonly adLists: AdLists | undefined
}

interface Paused {
  readonly requestId: string
  readonly resourceType: string
  readonly frameId: string
  readonly request: { readonly url: string; readonly headers: Readonly<Record<string, string>> }
}

/**
 * Adds headers to the requests of a page, and blocks advertisements. Intercepts nothing if there is
 * nothing to do.
 */
export async function interceptRequests(tab: Tab, { url, headers, adLists }: InterceptOptions): Promise<void> {
  const added = Object.entries(headers).map(([name, value]) => ({ name, value }))
  const lists = adLists?.isReady() === true ? adLists : undefined
  if (added.length === 0 && lists === undefined) return
  const start = new URL(url)
  const replaced = new Set(added.map(({ name }) => name.toLowerCase()))
  const isAd = ({ resourceType: type, frameId, request }: Paused): boolean =>
    // Never block the page itself.
    !(type === 'Document' && frameId === tab.targetId) && lists?.isAd({ url: request.url, pageUrl: url, type }) === true
  tab.on(({ method, params, sessionId }) => {
    if (method !== 'Fetch.requestPaused') return
    const paused = params as unknown as Paused
    const { requestId, request } = paused
    const send = (command: string, more: object = {}): void =>
      // The page may have navigated.
      void tab.call(command, { requestId, ...more }, sessionId).catch(() => undefined)
    if (isAd(paused)) return send('Fetch.failRequest', { errorReason: 'BlockedByClient' })
    if (added.length === 0 || !mayForwardHeaders(start, new URL(request.url))) return send('Fetch.continueRequest')
    const kept = Object.entries(request.headers).filter(([name]) => !replaced.has(name.toLowerCase()))
    send('Fetch.continueRequest', { headers: [...kept.map(([name, value]) => ({ name, value })), ...added] })
  })
  const origins = [start.origin, start.origin.replace(/^http:/, 'https:')]
  const patterns = lists === undefined ? origins.map((origin) => `${origin}/*`) : ['*']
  await tab.call('Fetch.enable', {
    patterns: [...new Set(patterns)].map((urlPattern) => ({ urlPattern, requestStage: 'Request' })),
  })
}
