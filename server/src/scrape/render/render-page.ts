import { setTimeout as sleep } from 'node:timers/promises'
import type { ScrapeRequest } from 'bowline/contract/scrape'
import { rethrowAbort } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
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
import { evaluateFunction } from './evaluate.ts'
import { navigate, watchNavigation, type MainResponse } from './navigate.ts'
import { openTab, type Tab } from './tab.ts'

/** What a page is rendered with. */
export interface RenderTask {
  readonly request: ScrapeRequest
  readonly pageLocale: PageLocale
  readonly chromeMajor: string
  readonly adLists: AdLists | undefined
  /** Reads the script that dismisses banners about cookies. */
  readonly consentScript: () => Promise<string>
  readonly router: CdpRouter
  /** Undefined: the default one of the browser, with its profile. */
  readonly browserContextId: string | undefined
  readonly signal: AbortSignal
}

/** A page as a browser shows it. */
export interface RenderedPage extends LoadedPage {
  readonly screenshot: CapturedFile | undefined
  readonly actions: ActionOutput | undefined
}

/** How rendering ended: not every address is one that a browser shows. */
export type RenderOutcome =
  | { readonly kind: 'page'; readonly page: RenderedPage }
  /** With the cookies that the browser has for the address, each as `name=value`. */
  | { readonly kind: 'download'; readonly cookies: readonly string[] }
  | { readonly kind: 'refused' | 'unreachable' }

/** Opens a page in a browser, performs its actions and takes what is wanted of it. Throws SCRAPE_*, or the signal's reason. */
export async function renderPage(task: RenderTask): Promise<RenderOutcome> {
  const { request, signal, router } = task
  using tab = await openTab(router, task.browserContextId, signal)
  try {
    await emulate(tab, { ...task, ...request, isMobile: request.mobile, headers: request.headers ?? {} })
    const watch = watchNavigation(tab)
    const opened = await navigate(tab, request.url)
    if (opened === 'download') return await download(tab, request.url)
    if (opened !== 'opened') return { kind: opened }
    await watch.settle(request.timeout / 2)
    if (/^application\/pdf\b/.test(watch.response()?.contentType ?? '')) return await download(tab, request.url)
    if (request.waitFor > 0) await sleep(request.waitFor, undefined, { signal: tab.signal })
    if (request.blockAds) await removeOverlays(tab, watch, task.consentScript)
    const actions = request.actions === undefined ? undefined : await performActions(tab, watch, request.actions)
    const page = await takePage(tab, request, watch.response(), actions)
    return { kind: 'page', page: withWarnings(page, [...tab.warnings]) }
  } catch (error) {
    // A wait that was cut short does not know why.
    rethrowAbort(tab.signal, error)
    throw error
  } finally {
    // The end of its context closes it; a page of a profile has none of its own.
    if (task.browserContextId === undefined) {
      router.call('Target.closeTarget', { targetId: tab.targetId }).catch(() => undefined)
    }
  }
}

async function download(tab: Tab, url: string): Promise<RenderOutcome> {
  const { cookies } = await tab.call('Network.getCookies', { urls: [url] })
  const pairs = (cookies as readonly { readonly name: string; readonly value: string }[]).map(
    ({ name, value }) => `${name}=${value}`,
  )
  return { kind: 'download', cookies: pairs }
}

async function takePage(
  tab: Tab,
  { formats }: ScrapeRequest,
  response: MainResponse | undefined,
  actions: ActionOutput | undefined,
): Promise<RenderedPage> {
  const wish = formats.find((format) => format.type === 'screenshot')
  const screenshot = wish === undefined ? undefined : await takeScreenshot(tab, wish)
  const { contentType } = response ?? {}
  const isMarkup = contentType === undefined || /html/i.test(contentType)
  return {
    ...(isMarkup ? await readMarkup(tab) : await readText(tab, contentType)),
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

async function readText(tab: Tab, contentType: string): Promise<Pick<LoadedPage, 'url' | 'body'>> {
  const url = String(await evaluateFunction(tab, '() => location.href'))
  // What the browser makes of XML or an image to show it is no part of it.
  const source = await tab.call('Page.getResourceContent', { frameId: tab.targetId, url: url.replace(/#.*$/, '') })
  const { content, base64Encoded } = source as { readonly content: string; readonly base64Encoded: boolean }
  const bytes = Buffer.from(content, base64Encoded ? 'base64' : 'utf8')
  return { url, body: classifyBody(bytes, `${contentType.split(';')[0]}; charset=utf-8`) }
}

/** The error for a page that there is no way to, when asking again finds no reason. */
export function unreachableError(url: string): BowlineError {
  return new BowlineError('SCRAPE_SITE_ERROR', `${new URL(url).host} cannot be reached`)
}
