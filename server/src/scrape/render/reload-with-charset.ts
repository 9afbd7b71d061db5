import { setTimeout as sleep } from 'node:timers/promises'
import { abortable } from 'bowline/kit/abort'
import type { CdpCall, Protocol } from '../../cdp/protocol.ts'
import { declaredCharset } from '../../kit/declared-charset.ts'
import { textCharset } from '../../kit/text-charset.ts'
import { evaluateFunction } from './evaluate.ts'
import { isResponse } from './intercept-requests.ts'
import type { MainResponse, NavigationWatch } from './navigate.ts'
import type { Tab } from './tab.ts'

/** Options of `reloadWithCharset`. */
export interface ReloadOptions {
  /** Patterns of the requests that the tab intercepts, which it continues to intercept. */
  readonly patterns: readonly Protocol.Fetch.RequestPattern[]
  /** Maximum duration of loading the page again, in milliseconds. */
  readonly maxMs: number
}

/** The response that a page was reloaded from. */
export interface PageSource {
  /** URL without fragment. */
  readonly url: string
  readonly bytes: Uint8Array
}

/**
 * Reloads a page that declares no charset, in the charset that it would be decoded in if it was
 * fetched. Browsers guess another one: they never guess UTF-8. Resolves to the source, or to
 * undefined for a page that declares its charset, is in ASCII or is still loading.
 */
export async function reloadWithCharset(
  tab: Tab,
  watch: NavigationWatch,
  { patterns, maxMs }: ReloadOptions,
): Promise<PageSource | undefined> {
  const response = watch.response()
  if (response === undefined || !(await isGuessed(tab, watch, response))) return undefined
  const declared = declareCharset(tab, response)
  const page = { urlPattern: '*', resourceType: 'Document', requestStage: 'Response' } as const
  await tab.call('Fetch.enable', { patterns: [...patterns, page] })
  watch.keepContentType(response)
  await tab.call('Page.reload')
  const bytes = await abortable(Promise.race([declared, sleep(maxMs, undefined, { ref: false })]), tab.signal)
  if (patterns.length > 0) await tab.call('Fetch.enable', { patterns: [...patterns] })
  else await tab.call('Fetch.disable')
  await watch.waitUntilIdle(maxMs)
  return bytes && { url: withoutFragment(response.url), bytes }
}

/** Characters at the start of a page in which its charset can be declared. */
const prescanned = 4096

/** Maximum wait for the source of a page with frames that are loading, in milliseconds. */
const maxSourceMs = 1000

/** Whether the browser had to guess the charset of a page, and its text depends on it. */
async function isGuessed(
  tab: Tab,
  { loadingFrames }: NavigationWatch,
  { url, contentType }: MainResponse,
): Promise<boolean> {
  if (/charset/i.test(contentType ?? '')) return false
  const state = String(await evaluateFunction(tab, '() => `${document.readyState} ${document.characterSet}`'))
  if (state.startsWith('loading')) return false
  const content = tab
    .call('Page.getResourceContent', { frameId: tab.targetId, url: withoutFragment(url) })
    // The page has navigated elsewhere.
    .catch(() => undefined)
  // Chromium loads the documents of all frames first, of which some may never end.
  const source = await (loadingFrames.size === 0
    ? content
    : Promise.race([content, sleep(maxSourceMs, undefined, { ref: false })]))
  if (source === undefined || source.base64Encoded || isAscii(source.content)) return false
  if (state.endsWith(' UTF-8') && !source.content.includes('\ufffd')) return false
  return declaredCharset(Buffer.from(source.content.slice(0, prescanned), 'latin1'), contentType) === undefined
}

/** Null bytes come from UTF-16. */
function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text) && !text.includes('\0')
}

/** Adds the charset to the next response of the page itself. Resolves to its body. */
async function declareCharset(tab: Tab, { contentType }: MainResponse): Promise<Uint8Array> {
  const { promise, resolve } = Promise.withResolvers<Uint8Array>()
  let isDone = false
  tab.on(({ method, params, sessionId = '' }) => {
    if (method !== 'Fetch.requestPaused' || !isResponse(params)) return
    const call = tab.callIn(sessionId)
    const { requestId, frameId, responseStatusCode: status = 0 } = params
    const isPage = frameId === tab.targetId && status >= 200 && (status < 300 || status >= 400)
    const continued =
      isPage && !isDone
        ? fulfillWithCharset(call, params, contentType).then(resolve)
        : call('Fetch.continueRequest', { requestId })
    isDone ||= isPage
    // Fails if the page has navigated.
    continued.catch(() => undefined)
  })
  return promise
}

async function fulfillWithCharset(
  call: CdpCall,
  { requestId, responseHeaders = [], responseStatusCode: responseCode = 200 }: Protocol.Fetch.RequestPausedEvent,
  contentType: string | undefined,
): Promise<Uint8Array> {
  const { body, base64Encoded } = await call('Fetch.getResponseBody', { requestId })
  const bytes = Buffer.from(body, base64Encoded ? 'base64' : 'utf8')
  const type = contentType?.split(';', 1)[0] ?? 'text/html'
  const declared = { name: 'content-type', value: `${type}; charset=${textCharset(bytes, contentType)}` }
  // The body is decompressed.
  const others = responseHeaders.filter(({ name }) => !/^content-(?:type|encoding|length)$/i.test(name))
  // `Fetch.continueResponse` would keep the charset that Chromium has read from the original header.
  await call('Fetch.fulfillRequest', {
    requestId,
    responseCode,
    responseHeaders: [...others, declared],
    body: bytes.toString('base64'),
  })
  return bytes
}

/** Returns a URL as the browser requests it. */
export function withoutFragment(url: string): string {
  return url.replace(/#.*$/, '')
}
