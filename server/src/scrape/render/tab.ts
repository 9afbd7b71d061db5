import { abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { CdpIncoming } from '../../cdp/message.ts'
import type { CdpRouter } from '../../cdp/router.ts'

/** Result of a CDP command. */
export type CdpResult = Readonly<Record<string, unknown>>

/** A tab of a scraping browser, driven over CDP. */
export interface Tab extends Disposable {
  readonly targetId: string
  /** Session of the main frame. */
  readonly sessionId: string
  /** Aborts when the signal of `openTab` aborts or the page crashes. */
  readonly signal: AbortSignal
  /**
   * Sends a command to the page, or to one of its frames' sessions. Rejects with the signal's
   * reason.
   */
  readonly call: (method: string, params?: object, sessionId?: string) => Promise<CdpResult>
  /** Listens to the events of the page and of its frames' sessions. */
  readonly on: (listener: (event: CdpIncoming) => void) => void
  /** Sentences for the warning of the page, such as about content that was left out. */
  readonly warnings: Set<string>
  /** Out-of-process frames by session id. */
  readonly frameSessions: ReadonlyMap<string, { readonly frameId: string; readonly parent: string }>
}

/**
 * Opens a tab in a browser context (default: that of the browser), and attaches to it and its
 * frames. Disposing detaches.
 */
export async function openTab(
  router: CdpRouter,
  browserContextId: string | undefined,
  signal: AbortSignal,
): Promise<Tab> {
  const created = await abortable(router.call('Target.createTarget', { url: 'about:blank', browserContextId }), signal)
  const targetId = String(created['targetId'])
  const attached = await abortable(router.call('Target.attachToTarget', { targetId, flatten: true }), signal)
  const sessionId = String(attached['sessionId'])
  const sessions = new Set([sessionId])
  const frameSessions = new Map<string, { readonly frameId: string; readonly parent: string }>()
  const listeners: ((event: CdpIncoming) => void)[] = []
  const crash = new AbortController()
  const ended = AbortSignal.any([signal, crash.signal])
  const call: Tab['call'] = async (method, params = {}, session = sessionId) =>
    abortable(router.call(method, params, session), ended)
  const stop = router.onEvent((event) => {
    const from = event.sessionId ?? ''
    if (!sessions.has(from)) return
    if (event.method === 'Inspector.targetCrashed' && from === sessionId) {
      crash.abort(new BowlineError('SCRAPE_SITE_ERROR', 'The page crashed its browser tab'))
    }
    const child = childOf(event)
    if (child !== undefined && event.method === 'Target.attachedToTarget') {
      sessions.add(child.sessionId)
      if (child.isFrame) frameSessions.set(child.sessionId, { frameId: child.targetId, parent: from })
      prepareChild(router, child.sessionId)
    } else if (event.method === 'Target.detachedFromTarget') {
      frameSessions.delete(String(event.params?.['sessionId']))
    }
    for (const listener of listeners) listener(event)
  })
  const tab: Tab = {
    targetId,
    sessionId,
    signal: ended,
    call,
    warnings: new Set(),
    frameSessions,
    on: (listener) => void listeners.push(listener),
    [Symbol.dispose]: stop,
  }
  await tab.call('Target.setAutoAttach', autoAttach)
  return tab
}

const autoAttach = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }

/** Enables events of a frame or worker, and attaches to its own frames. */
function prepareChild(router: CdpRouter, sessionId: string): void {
  for (const [method, params] of [
    ['Target.setAutoAttach', autoAttach],
    ['Page.enable', {}],
    ['DOM.enable', {}],
    ['Network.enable', {}],
  ] as const) {
    // The frame may be gone by now, and workers support only some of these.
    router.call(method, params, sessionId).catch(() => undefined)
  }
}

function childOf({ params }: CdpIncoming): { sessionId: string; targetId: string; isFrame: boolean } | undefined {
  const info = params?.['targetInfo'] as { readonly targetId: string; readonly type: string } | undefined
  const sessionId = params?.['sessionId']
  if (info === undefined || typeof sessionId !== 'string') return undefined
  return { sessionId, targetId: info.targetId, isFrame: info.type === 'iframe' }
}
