import { abortable, mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { ResultBudget } from '../../cdp/message-limits.ts'
import type { CdpCall, CdpEvent } from '../../cdp/protocol.ts'
import type { CdpRouter } from '../../cdp/router.ts'
import { attachToTarget, autoAttach, type AttachedTarget } from '../../cdp/targets.ts'

/** A tab of a scraping browser, driven over CDP. */
export interface Tab extends Disposable {
  readonly targetId: string
  /** CDP session of the main frame. */
  readonly cdpSessionId: string
  /** Aborts when the signal of `openTab` aborts or the page crashes. */
  readonly signal: AbortSignal
  /** Sends a command to the page. Rejects with the signal's reason. */
  readonly call: CdpCall
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
  const page = await abortable(attachToTarget(router, targetId), signal)
  const { cdpSessionId } = page
  const attached = new Map<string, AttachedTarget>()
  const listeners: ((event: CdpEvent) => void)[] = []
  const crash = new AbortController()
  const ended = mergeSignals(signal, crash.signal)
  const emit = (event: CdpEvent): void => {
    for (const listener of listeners) listener(event)
  }
  using resources = new DisposableStack()
  resources.defer(
    page.onEvent((event) => {
      if (event.method === 'Inspector.targetCrashed') {
        crash.abort(new BowlineError('SCRAPE_SITE_ERROR', 'The page crashed its browser tab'))
      }
      emit(event)
    }),
  )
  const call = untilAborted(page.call, ended)
  const frames = autoAttach(router, page, {
    onAttached: async (target) => {
      attached.set(target.cdpSessionId, target)
      await enableEvents(target)
    },
    onDetached: (target) => attached.delete(target.cdpSessionId),
    onEvent: (_target, event) => emit(event),
  })
  resources.use(frames)
  await abortable(frames.ready, ended)
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
    on: (listener) => void listeners.push(listener),
    [Symbol.dispose]: () => opened.dispose(),
  }
}

function untilAborted(call: CdpCall, signal: AbortSignal): CdpCall {
  return async (method, ...args) => abortable(call(method, ...args), signal)
}

/** Enables the events of a frame or worker. Workers support only some of them. */
async function enableEvents({ call }: AttachedTarget): Promise<void> {
  await Promise.allSettled([call('Page.enable'), call('DOM.enable'), call('Network.enable')])
}
