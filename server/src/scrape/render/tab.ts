import { abortable, mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { ResultBudget } from '../../cdp/message-limits.ts'
import type { CdpCall, CdpEvent, CdpParams, CdpResult } from '../../cdp/protocol.ts'
import type { CdpRouter } from '../../cdp/router.ts'
import { attachToTarget, autoAttach, type AttachedTarget, type CdpSession } from '../../cdp/targets.ts'

/** A tab of a scraping browser, driven over CDP. */
export interface Tab extends Disposable {
  readonly targetId: string
  /** CDP session of the main frame. */
  readonly cdpSessionId: string
  /** Aborts when the given signal aborts, or the page crashes or is closed. */
  readonly signal: AbortSignal
  /** Sends a command to the page. Rejects with the signal's reason. */
  readonly call: CdpCall
  /** Sends the command that takes screenshots. */
  readonly captureScreenshot: CaptureScreenshot
  /** Returns `call` whose results must fit in the budget. */
  readonly callWithin: (budget: ResultBudget) => CdpCall
  /** Returns `call` for the CDP session of a frame, or of the page itself. */
  readonly callIn: (cdpSessionId: string) => CdpCall
  /** Listens to the events of the page and of its frames' sessions. */
  readonly on: (listener: (event: CdpEvent) => void) => void
  /** Sentences for the warning of the page, such as about content that was left out. */
  readonly warnings: Set<string>
  /** Out-of-process frames and workers by CDP session id. */
  readonly attached: ReadonlyMap<string, AttachedTarget>
  /** Detaches from the page, which stays open. Never rejects. */
  readonly detach: () => Promise<void>
}

/**
 * Opens a tab in a browser context (default: that of the browser), and attaches to it and its
 * frames. Disposing stops its events.
 */
export async function openTab(
  router: CdpRouter,
  browserContextId: string | undefined,
  signal: AbortSignal,
): Promise<Tab> {
  const { targetId } = await abortable(
    router.call('Target.createTarget', { url: 'about:blank', browserContextId }),
    signal,
  )
  return attachToTab(router, targetId, { signal, frameDomains: ['Page', 'DOM', 'Network'] })
}

/** Sends the command that takes a screenshot. */
export type CaptureScreenshot = (
  params: CdpParams<'Page.captureScreenshot'>,
) => Promise<CdpResult<'Page.captureScreenshot'>>

/** Options of `attachToTab`. */
export interface AttachOptions {
  readonly signal: AbortSignal
  /** CDP domains to enable in the frames of the page. */
  readonly frameDomains: readonly FrameDomain[]
  /** Default: in the CDP session that is attached. */
  readonly captureScreenshot?: CaptureScreenshot | undefined
}

type FrameDomain = 'Page' | 'DOM' | 'Network'

/**
 * Attaches to an open page and its frames. Disposing stops its events; `detach` also ends the CDP
 * session. Throws CDP_FAILED, or the signal's reason.
 */
export async function attachToTab(
  router: CdpRouter,
  targetId: string,
  { signal, frameDomains, captureScreenshot }: AttachOptions,
): Promise<Tab> {
  const page = await attach(router, targetId, signal)
  const { cdpSessionId } = page
  const attached = new Map<string, AttachedTarget>()
  const listeners: ((event: CdpEvent) => void)[] = []
  const emit = (event: CdpEvent): void => {
    for (const listener of listeners) listener(event)
  }
  using resources = new DisposableStack()
  resources.defer(page.onEvent(emit))
  const ended = mergeSignals(signal, resources.use(watchEnd(router, page)).signal)
  const call = untilAborted(page.call, ended)
  const frames = autoAttach(router, page, {
    onAttached: async (target) => {
      attached.set(target.cdpSessionId, target)
      await enableDomains(target, frameDomains)
    },
    onDetached: (target) => attached.delete(target.cdpSessionId),
    onEvent: (_target, event) => emit(event),
  })
  resources.use(frames)
  const detach = async (): Promise<void> => page[Symbol.asyncDispose]()
  try {
    await abortable(frames.ready, ended)
  } catch (error) {
    await detach()
    throw error
  }
  const opened = resources.move()
  return {
    targetId,
    cdpSessionId,
    signal: ended,
    call,
    callWithin: (budget) => untilAborted(router.callIn(cdpSessionId, budget), ended),
    callIn: (id) => {
      const child = attached.get(id)
      return child === undefined ? call : untilAborted(child.call, ended)
    },
    warnings: new Set(),
    attached,
    captureScreenshot: async (params) =>
      captureScreenshot === undefined
        ? call('Page.captureScreenshot', params)
        : abortable(captureScreenshot(params), ended),
    detach,
    on: (listener) => void listeners.push(listener),
    [Symbol.dispose]: () => opened.dispose(),
  }
}

/** Attaches to a page. Detaches again if the signal aborts in the meantime. */
async function attach(router: CdpRouter, targetId: string, signal: AbortSignal): Promise<CdpSession> {
  const attaching = attachToTarget(router, targetId)
  try {
    return await abortable(attaching, signal)
  } catch (error) {
    attaching.then(
      async (page) => page[Symbol.asyncDispose](),
      () => undefined,
    )
    throw error
  }
}

/** Returns a signal that aborts when a page crashes or is closed. */
function watchEnd(router: CdpRouter, page: CdpSession): Disposable & { readonly signal: AbortSignal } {
  const end = new AbortController()
  const fail = (message: string): void => end.abort(new BowlineError('SCRAPE_SITE_ERROR', message))
  const stop = router.onEvent(({ method, params, sessionId }) => {
    if (method === 'Inspector.targetCrashed' && sessionId === page.cdpSessionId) {
      fail('The page crashed its browser tab')
    } else if (method === 'Target.detachedFromTarget' && params.sessionId === page.cdpSessionId) {
      fail('The page was closed while it was read')
    }
  })
  return { signal: end.signal, [Symbol.dispose]: stop }
}

function untilAborted(call: CdpCall, signal: AbortSignal): CdpCall {
  return async (method, ...args) => abortable(call(method, ...args), signal)
}

/** Enables domains of a frame or worker. Workers support only some of them. */
async function enableDomains({ call }: AttachedTarget, domains: readonly FrameDomain[]): Promise<void> {
  await Promise.allSettled(domains.map(async (domain) => call(`${domain}.enable`)))
}
