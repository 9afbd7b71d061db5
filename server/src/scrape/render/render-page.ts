import { setTimeout as sleep } from 'node:timers/promises'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { rethrowAbort } from 'bowline/kit/abort'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { OversizedResult } from '../../cdp/message-limits.ts'
import type { Protocol } from '../../cdp/protocol.ts'
import type { CdpRouter } from '../../cdp/router.ts'
import { classifyBody } from '../fetch/classify-body.ts'
import { withWarnings, type LoadedPage } from '../fetch/loaded-page.ts'
import type { PageLocale } from '../fetch/page-locale.ts'
import { performActions, type ActionOutput } from './perform-actions.ts'
import type { AdLists } from './ad-lists.ts'
import { takeScreenshot, type CapturedFile } from './capture.ts'
import { removeOverlays } from './remove-overlays.ts'
import { serializePage } from './serialize-page.ts'
import { emulate } from './emulate.ts'
import { evaluateText } from './evaluate.ts'
import { navigate, watchNavigation, type MainResponse } from './navigate.ts'
import { reloadWithCharset, withoutFragment, type PageSource } from './reload-with-charset.ts'
import { openTab, type Tab } from './tab.ts'

/** Options of `renderPage`. */
export interface RenderTask {
  readonly request: ScrapeRequest
  readonly pageLocale: PageLocale
  readonly chromeMajor: string
  readonly adLists: AdLists | undefined
  /** Loads the script that dismisses consent banners. */
  readonly consentScript: () => Promise<string>
  readonly router: CdpRouter
  /** Default: the default context of the browser, with its profile. */
  readonly browserContextId: string | undefined
  readonly signal: AbortSignal
}

/** A page as rendered by a browser. */
export interface RenderedPage extends LoadedPage {
  readonly screenshot: CapturedFile | undefined
  readonly actions: ActionOutput | undefined
}

/** Outcome of rendering. */
export type RenderOutcome =
  | { readonly kind: 'page'; readonly page: RenderedPage }
  /** A file. `cookies` are those that the browser has for the URL, each as `Set-Cookie` header. */
  | { readonly kind: 'download'; readonly cookies: readonly string[] }
  | { readonly kind: 'refused' | 'unreachable' }

/** Attempts to open a page whose tab crashes while it is reloaded. */
const reloadAttempts = 3

/**
 * Opens a page in a browser, performs actions, and captures HTML and screenshot. Throws SCRAPE_*,
 * or the signal's reason.
 */
export async function renderPage(task: RenderTask): Promise<RenderOutcome> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await renderInTab(task)
    } catch (error) {
      if (!(error instanceof ReloadCrash)) throw error
      if (attempt === reloadAttempts) throw error.cause
    }
  }
}

/**
 * The tab crashed while it was reloaded with a charset. No action was performed yet, so the page
 * can be opened again. On a busy machine, Chromium 150 stops about four of 1000 renderers that
 * commit a fulfilled navigation ("bad IPC message, reason 262").
 */
class ReloadCrash extends Error {}

async function renderInTab(task: RenderTask): Promise<RenderOutcome> {
  const { request, signal, router } = task
  using tab = await openTab(router, task.browserContextId, signal)
  try {
    const patterns = await emulate(tab, {
      ...task,
      ...request,
      isMobile: request.mobile,
      headers: request.headers ?? {},
    })
    const watch = watchNavigation(tab)
    const opened = await navigate(tab, request.url)
    if (opened === 'download') return await download(tab, request.url)
    if (opened !== 'opened') return { kind: opened }
    await watch.waitUntilIdle(request.timeout / 2)
    if (/^application\/pdf\b/.test(watch.response()?.contentType ?? '')) return await download(tab, request.url)
    const source = await reloadWithCharset(tab, watch, { patterns, maxMs: request.timeout / 4 }).catch(
      (error: unknown) => {
        if (!tab.signal.aborted || signal.aborted) throw error
        throw new ReloadCrash('The tab crashed', { cause: tab.signal.reason })
      },
    )
    if (request.waitFor > 0) await sleep(request.waitFor, undefined, { signal: tab.signal })
    if (request.blockAds) await removeOverlays(tab, watch, task.consentScript)
    const actions = request.actions === undefined ? undefined : await performActions(tab, watch, request.actions)
    const page = await capturePage(tab, request, { response: watch.response(), source, actions })
    return { kind: 'page', page: withWarnings(page, [...tab.warnings]) }
  } catch (error) {
    // An aborted wait rejects with another error: report the abort reason instead.
    if (!(error instanceof ReloadCrash)) rethrowAbort(tab.signal, error)
    if (!(error instanceof OversizedResult)) throw error
    throw new BowlineError('SCRAPE_SITE_ERROR', `The page is too large: ${error.message}`, { cause: error })
  } finally {
    // Disposing the browser context closes the tab. A tab in the default context is closed here.
    if (task.browserContextId === undefined) {
      // The page may have closed itself or crashed.
      router.call('Target.closeTarget', { targetId: tab.targetId }).catch(() => undefined)
    }
  }
}

async function download(tab: Tab, url: string): Promise<RenderOutcome> {
  const { cookies } = await tab.call('Network.getCookies', { urls: [url] })
  return { kind: 'download', cookies: cookies.map(toSetCookie) }
}

/** Writes a browser's cookie as the header that sets it. A leading dot includes subdomains. */
function toSetCookie({ name, value, domain, path, secure }: Protocol.Network.Cookie): string {
  const included = domain.startsWith('.') ? `; Domain=${domain.slice(1)}` : ''
  return `${name}=${value}; Path=${path}${included}${secure ? '; Secure' : ''}`
}

async function capturePage(
  tab: Tab,
  { formats }: ScrapeRequest,
  {
    response,
    source,
    actions,
  }: {
    readonly response: MainResponse | undefined
    readonly source: PageSource | undefined
    readonly actions: ActionOutput | undefined
  },
): Promise<RenderedPage> {
  const options = formats.find((format) => format.type === 'screenshot')
  const screenshot = options === undefined ? undefined : await takeScreenshot(tab, options)
  const { contentType } = response ?? {}
  const isMarkup = contentType === undefined || /html/i.test(contentType)
  const content = isMarkup ? await readMarkup(tab) : await readText(tab, contentType, source)
  // Chromium also shows an error page for responses with an error status and no body.
  if (content.url.startsWith('chrome-error:') && (response?.statusCode ?? 200) < 400) {
    const site = response === undefined ? 'The page' : new URL(response.url).host
    throw new BowlineError('SCRAPE_SITE_ERROR', `${site} navigated to a URL that could not be loaded`)
  }
  return {
    ...content,
    statusCode: response?.statusCode ?? 200,
    contentType,
    retryAfter: response?.retryAfter,
    screenshot,
    actions,
  }
}

async function readMarkup(tab: Tab): Promise<Pick<LoadedPage, 'url' | 'body'>> {
  const { url, html } = await serializePage(tab)
  return { url, body: { kind: 'html', html } }
}

async function readText(
  tab: Tab,
  contentType: string,
  source: PageSource | undefined,
): Promise<Pick<LoadedPage, 'url' | 'body'>> {
  const url = String(await evaluateText(tab, '() => location.href'))
  if (source?.url === withoutFragment(url)) return { url, body: classifyBody(source.bytes, contentType) }
  // Read the source, without the markup that Chromium adds to show XML or images.
  const resource = { frameId: tab.targetId, url: withoutFragment(url) }
  const stored = await tab.call('Page.getResourceContent', resource).catch((error: unknown) => {
    // Chromium does not keep responses that ask for a password.
    if (isBowlineError(error) && error.code === 'CDP_FAILED') return undefined
    throw error
  })
  const shown = async (): Promise<string> => (await evaluateText(tab, '() => document.body?.innerText')) ?? ''
  const bytes =
    stored === undefined
      ? Buffer.from(await shown())
      : Buffer.from(stored.content, stored.base64Encoded ? 'base64' : 'utf8')
  return { url, body: classifyBody(bytes, `${contentType.split(';')[0]}; charset=utf-8`) }
}

/** Returns the error for a page that cannot be reached for an unknown reason. */
export function unreachableError(url: string): BowlineError {
  return new BowlineError('SCRAPE_SITE_ERROR', `${new URL(url).host} cannot be reached`)
}
