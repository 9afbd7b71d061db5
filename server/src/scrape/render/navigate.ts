import { setTimeout as sleep } from 'node:timers/promises'
import { abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { Protocol } from '../../cdp/protocol.ts'
import { certificateError, tlsError } from '../fetch/fetch-error.ts'
import { waitForIdle } from './wait-for-idle.ts'
import type { Tab } from './tab.ts'

/** Response to the main request of a page. */
export interface MainResponse {
  readonly url: string
  readonly statusCode: number
  readonly contentType: string | undefined
  readonly retryAfter: string | undefined
}

/** Observes the network activity of a page. */
export interface NavigationWatch {
  readonly response: () => MainResponse | undefined
  /** Frames whose documents have been requested and are not complete, by the id of the request. */
  readonly loadingFrames: ReadonlyMap<string, string>
  /** Reports the content type of this response for the next responses of its URL as well. */
  readonly keepContentType: (response: MainResponse) => void
  /**
   * Waits until the page has loaded and is idle, at most `maxMs`. Then the page is used in its
   * current state.
   */
  readonly waitUntilIdle: (maxMs: number) => Promise<void>
}

/** Errors of URLs that the egress policy or the request does not allow. */
const refusal = /ERR_BLOCKED_BY_(?:ADMINISTRATOR|CLIENT)/

/** Resource types that may never finish. */
const streamTypes = new Set(['WebSocket', 'EventSource', 'Media', 'Ping', 'Prefetch'])

/**
 * Starts to observe a page. Call it before the page is navigated, or with `isLoaded` for a page
 * that has loaded.
 */
export function watchNavigation(tab: Tab, { isLoaded = false } = {}): NavigationWatch {
  const running = new Set<string>()
  const loadingFrames = new Map<string, string>()
  const activity = { running, changedAtMs: performance.now(), isSingleTarget: true }
  let response: MainResponse | undefined
  let kept: MainResponse | undefined
  let document: { readonly requestId: string; failure?: BowlineError } | undefined
  let loaded = Promise.withResolvers<void>()
  if (isLoaded) loaded.resolve()
  tab.on((event) => {
    const isOfPage = event.sessionId === tab.cdpSessionId
    const { method, params } = event
    switch (method) {
      case 'Target.attachedToTarget':
        activity.isSingleTarget = false
        break
      case 'Network.requestWillBeSent':
        if (streamTypes.has(params.type ?? '') || isWorkerScript(params)) return
        running.add(params.requestId)
        if (params.type === 'Document') loadingFrames.set(params.requestId, params.frameId ?? '')
        break
      case 'Network.loadingFinished':
        running.delete(params.requestId)
        loadingFrames.delete(params.requestId)
        break
      case 'Network.loadingFailed':
        running.delete(params.requestId)
        loadingFrames.delete(params.requestId)
        if (params.requestId !== document?.requestId || params.canceled === true) break
        document.failure = loadError(response?.url ?? '', params.errorText)
        // The browser never fires the load event of such a page.
        loaded.resolve()
        break
      case 'Page.frameStartedNavigating':
        if (!isOfPage || params.frameId !== tab.targetId) return
        loaded = restarted(loaded)
        break
      case 'Page.loadEventFired':
        if (!isOfPage) return
        loaded.resolve()
        break
      case 'Network.responseReceived':
        if (params.type !== 'Document' || params.frameId !== tab.targetId) return
        response = toResponse(params.response)
        document = { requestId: params.requestId }
        if (response.url === kept?.url) response = { ...response, contentType: kept.contentType }
        break
      default:
        return
    }
    activity.changedAtMs = performance.now()
  })
  const waitUntilIdle = async (maxMs: number): Promise<void> => {
    const endMs = performance.now() + maxMs
    await abortable(Promise.race([loaded.promise, sleep(maxMs, undefined, { ref: false })]), tab.signal)
    if (document?.failure !== undefined) throw document.failure
    await waitForIdle(tab, activity, endMs)
  }
  return { response: () => response, loadingFrames, keepContentType: (wanted) => (kept = wanted), waitUntilIdle }
}

/** Observes the requests for the document of a page. */
export interface DocumentWatch {
  /** URL of the last request, after redirects. Undefined: there was none. */
  readonly url: () => string | undefined
  /** Whether the egress policy blocked this URL. */
  readonly isRefused: () => boolean
}

/** Observes the navigations of a page. Call it before the page is navigated. */
export function watchDocument(tab: Tab): DocumentWatch {
  let documentId: string | undefined
  let url: string | undefined
  let isRefused = false
  tab.on(({ method, params }) => {
    if (method === 'Network.requestWillBeSent' && params.type === 'Document' && params.frameId === tab.targetId) {
      documentId = params.requestId
      url = params.request.url
      isRefused = false
    }
    // Full Chromium reloads a page that failed, and then also reports its request as cancelled.
    if (method === 'Network.loadingFailed' && params.requestId === documentId) {
      isRefused ||= refusal.test(params.errorText)
    }
  })
  return { url: () => url, isRefused: () => isRefused }
}

/**
 * Navigates to a URL. Resolves to `download` for a file, and to `refused` if the egress policy
 * blocks the URL. With `document`, errors name the site that the URL redirects to. Throws
 * SCRAPE_SSL_ERROR, SCRAPE_SITE_ERROR.
 */
export async function navigate(
  tab: Tab,
  url: string,
  document?: DocumentWatch,
): Promise<'opened' | 'download' | 'refused' | 'unreachable'> {
  const { errorText } = await tab.call('Page.navigate', { url, transitionType: 'typed' })
  if (errorText === undefined || errorText === '') return 'opened'
  const failed = document?.url() ?? url
  const { host } = new URL(failed)
  if (errorText.includes('ERR_ABORTED')) return 'download'
  if (errorText.includes('ERR_SSL')) throw tlsError(host, errorText)
  if (errorText.includes('ERR_CERT')) throw certificateError(host, errorText)
  if (refusal.test(errorText)) return 'refused'
  if (/ERR_(?:ADDRESS_UNREACHABLE|TUNNEL|PROXY|NAME_NOT_RESOLVED|CONNECTION)/.test(errorText)) return 'unreachable'
  throw loadError(failed, errorText)
}

/**
 * Whether a request is for the script of a worker. Its end is reported to the target of the worker,
 * which for a shared worker is not attached to the page. Other scripts have an initiator.
 */
function isWorkerScript({ type, initiator }: Protocol.Network.RequestWillBeSentEvent): boolean {
  return type === 'Script' && initiator.type === 'other'
}

/** Returns the wait for the next page, which also ends that for the page it replaces. */
function restarted(earlier: PromiseWithResolvers<void>): PromiseWithResolvers<void> {
  const next = Promise.withResolvers<void>()
  void next.promise.then(earlier.resolve)
  return next
}

function loadError(url: string, errorText: string): BowlineError {
  return new BowlineError('SCRAPE_SITE_ERROR', `${new URL(url).host} could not be loaded: ${errorText}`)
}

function toResponse({ url, status, mimeType, headers }: Protocol.Network.Response): MainResponse {
  const header = (wanted: string): string | undefined =>
    Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1]
  return {
    url,
    statusCode: status,
    // CDP joins repeated headers by line breaks. The last one counts, as in browsers.
    contentType: header('content-type')?.split('\n').at(-1) ?? mimeType,
    retryAfter: header('retry-after'),
  }
}
