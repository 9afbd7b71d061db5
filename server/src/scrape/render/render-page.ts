import { sleep } from 'bowline/kit/sleep'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { rethrowAbort } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import { OversizedResult } from '../../cdp/message-limits.ts'
import type { Protocol } from '../../cdp/protocol.ts'
import type { CdpRouter } from '../../cdp/router.ts'
import { withWarnings } from '../fetch/loaded-page.ts'
import type { PageLocale } from '../fetch/page-locale.ts'
import { performActions } from './perform-actions.ts'
import type { AdLists } from './ad-lists.ts'
import { capturePage, type RenderedPage } from './capture-page.ts'
import { removeOverlays } from './remove-overlays.ts'
import { emulate } from './emulate.ts'
import { navigate, watchDocument, watchNavigation } from './navigate.ts'
import { reloadWithCharset } from './reload-with-charset.ts'
import { openTab, type Tab } from './tab.ts'
import { unloadedWarning } from './unloaded-frames.ts'
import { hasContent, noContentWarning, waitForContent } from './wait-for-content.ts'
import type { MayFollow } from '../../kit/may-follow.ts'

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
  /** Whether the tab may open another URL than that of the request. Default: any. */
  readonly mayFollow?: MayFollow | undefined
  readonly signal: AbortSignal
}

/** Outcome of rendering. */
export type RenderOutcome =
  | { readonly kind: 'page'; readonly page: RenderedPage }
  /** A file. `cookies` are those that the browser has for the URL, each as `Set-Cookie` header. */
  | { readonly kind: 'download'; readonly cookies: readonly string[]; readonly warning?: string | undefined }
  /** `url`: the address that failed, after redirects. */
  | { readonly kind: 'refused' | 'unreachable'; readonly url: string }

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
  const { actions: steps = [] } = request
  const startedAtMs = performance.now()
  using tab = await openTab(router, task.browserContextId, signal)
  try {
    const { patterns, nextStop } = await emulate(tab, {
      ...task,
      ...request,
      isMobile: request.mobile,
      headers: request.headers ?? {},
    })
    const watch = watchNavigation(tab)
    const document = watchDocument(tab)
    let opened = await navigate(tab, request.url, document)
    for (let stop = nextStop(); stop !== undefined; stop = nextStop()) opened = await navigate(tab, stop, document)
    if (opened === 'download') return await download(tab, request.url)
    if (opened !== 'opened') return { kind: opened, url: document.url() ?? request.url }
    await watch.waitUntilIdle(request.timeout / 2)
    if (/^application\/pdf\b/.test(watch.response()?.contentType ?? '')) return await download(tab, request.url)
    const source = await reloadWithCharset(tab, watch, { patterns, maxMs: request.timeout / 4 }).catch(
      (error: unknown) => {
        if (!tab.signal.aborted || signal.aborted) throw error
        throw new ReloadCrash('The tab crashed', { cause: tab.signal.reason })
      },
    )
    if (request.waitFor > 0) await sleep(request.waitFor, tab.signal)
    else if (steps.length === 0) await waitForContent(tab, watch, startedAtMs + request.timeout / 2)
    if (request.blockAds) await removeOverlays(tab, watch, task.consentScript)
    const openedStatus = steps.length === 0 ? undefined : watch.response()?.statusCode
    const actions = steps.length === 0 ? undefined : await performActions(tab, watch, steps)
    const unloaded = await unloadedWarning(tab, watch)
    if (unloaded !== undefined) tab.warnings.add(unloaded)
    const isEmpty = !(await hasContent(tab))
    if (isEmpty) tab.warnings.add(noContentWarning)
    const isUnfinished = isEmpty || unloaded !== undefined
    const facts = { response: watch.response(), isRefused: document.isRefused(), source, actions }
    const page = await capturePage(tab, request, facts)
    return { kind: 'page', page: withWarnings({ ...page, openedStatus, isUnfinished }, [...tab.warnings]) }
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

/** Returns the error for a page that cannot be reached for an unknown reason. */
export function unreachableError(url: string): BowlineError {
  return new BowlineError('SCRAPE_SITE_ERROR', `${new URL(url).host} cannot be reached`)
}
