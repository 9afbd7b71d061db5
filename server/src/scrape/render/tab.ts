import { abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { CdpIncoming } from '../../cdp/message.ts'
import type { CdpRouter } from '../../cdp/router.ts'

/** What a command answers. */
export type CdpResult = Readonly<Record<string, unknown>>

/** One page of a scraping browser, driven over CDP. */
export interface Tab extends Disposable {
  readonly targetId: string
  /** Session of the page itself. */
  readonly sessionId: string
  /** Aborts with the signal that the tab was opened with, and when the page crashes. */
  readonly signal: AbortSignal
  /** Sends a command to the page, or to one of its frames' sessions. Rejects with the signal's reason. */
  readonly call: (method: string, params?: object, sessionId?: string) => Promise<CdpResult>
  /** Calls with the events of the page and of its frames' sessions. */
  readonly on: (listener: (event: CdpIncoming) => void) => void
  /** What was left out of what was taken of the page, as sentences for its warning. */
  readonly warnings: Set<string>
  /** Sessions of frames that live in processes of their own, by session, with the id of their frame. */
  readonly frameSessions: ReadonlyMap<string, { readonly frameId: string; readonly parent: string }>
}

/** Opens a page in a browser context (default: that of the browser) and attaches to it and to its frames. Disposing detaches. */
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

/** Frames within frames, and what they load, are to be heard of, too. */
function prepareChild(router: CdpRouter, sessionId: string): void {
  for (const [method, params] of [
    ['Target.setAutoAttach', autoAttach],
    ['Page.enable', {}],
    ['DOM.enable', {}],
    ['Network.enable', {}],
  ] as const) {
    // A frame may be gone before it hears; workers know only some of these.
    router.call(method, params, sessionId).catch(() => undefined)
  }
}

function childOf({ params }: CdpIncoming): { sessionId: string; targetId: string; isFrame: boolean } | undefined {
  const info = params?.['targetInfo'] as { readonly targetId: string; readonly type: string } | undefined
  const sessionId = params?.['sessionId']
  if (info === undefined || typeof sessionId !== 'string') return undefined
  return { sessionId, targetId: info.targetId, isFrame: info.type === 'iframe' }
}
