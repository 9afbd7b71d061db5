import type { Protocol } from './protocol.ts'
import type { CdpRouter } from './router.ts'
import { attachToBrowser, attachToTarget, type CdpSession } from './targets.ts'

/** Options of `guardNavigations`. */
export interface GuardNavigationsOptions {
  /** Whether tabs may not show an http(s) URL. */
  readonly isRefused: (url: string) => boolean
  /** Whether frames of pages may not show an http(s) URL. Default: they may show all. */
  readonly isFrameRefused?: ((url: string) => boolean) | undefined
  /** Called with each URL whose request was refused. */
  readonly onRefused: (url: string) => void
}

/**
 * Refuses requests for pages that tabs may not show, whatever navigates: a page, its code, a
 * redirect, a client. Intercepts them for the whole browser, behind the interception of clients,
 * whose changed URLs it judges too. Resolves when it is active, for the rest of the browser's life.
 */
export async function guardNavigations(router: CdpRouter, options: GuardNavigationsOptions): Promise<void> {
  const browser = await attachToBrowser(router)
  browser.onEvent(({ method, params }) => {
    // Fails if the request is gone, such as that of a closed tab.
    if (method === 'Fetch.requestPaused') decide(browser, params, options).catch(() => undefined)
  })
  router.onEvent(({ method, params }) => {
    if (method === 'Target.targetInfoChanged') leaveRefused(router, params.targetInfo, options).catch(() => undefined)
  })
  await browser.call('Fetch.enable', { patterns: [{ resourceType: 'Document' }] })
}

async function decide(
  browser: CdpSession,
  { requestId, request, frameId }: Protocol.Fetch.RequestPausedEvent,
  { isRefused, isFrameRefused = () => false, onRefused }: GuardNavigationsOptions,
): Promise<void> {
  const { url } = request
  const [inTab, inFrame] = [isRefused(url), isFrameRefused(url)]
  const isRefusedHere = inTab === inFrame || (await isTab(browser, frameId)) ? inTab : inFrame
  if (!isRefusedHere) {
    await browser.call('Fetch.continueRequest', { requestId })
    return
  }
  onRefused(url)
  await browser.call('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
}

/** Whether a frame is that of a tab. True if the browser does not respond. */
async function isTab(browser: CdpSession, frameId: string): Promise<boolean> {
  const { targetInfos } = await browser
    .call('Target.getTargets', { filter: [{}] })
    .catch(() => ({ targetInfos: [{ type: 'page', targetId: frameId }] }))
  return targetInfos.some(({ type, targetId }) => type === 'page' && targetId === frameId)
}

/** Leaves a page that came without a request, such as one from a service worker of a profile. */
async function leaveRefused(
  router: CdpRouter,
  { type, targetId, url }: Protocol.Target.TargetInfo,
  { isRefused }: GuardNavigationsOptions,
): Promise<void> {
  if (type !== 'page' || !isRefused(url)) return
  await using page = await attachToTarget(router, targetId)
  const { frame } = (await page.call('Page.getFrameTree')).frameTree
  // The error page of a refused request has its URL as well.
  if (frame.unreachableUrl !== undefined || !isRefused(frame.url)) return
  await page.call('Page.navigate', { url: 'about:blank' })
}
