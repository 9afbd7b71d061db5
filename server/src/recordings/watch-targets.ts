import type { CdpRouter } from '../cdp/router.ts'

/** A page, a frame of another process or a worker, with a session of the server's own. */
export interface WatchedTarget {
  readonly targetId: string
  readonly type: string
  readonly url: string
  readonly sessionId: string
  readonly call: (method: string, params?: object) => Promise<Readonly<Record<string, unknown>>>
}

/** What is told of the targets of a browser. */
export interface TargetListener {
  /** Resolves when the target is set up. */
  readonly onAttached: (target: WatchedTarget) => Promise<void>
  readonly onDetached: (target: WatchedTarget) => void
  readonly onEvent: (target: WatchedTarget, method: string, params: Readonly<Record<string, unknown>>) => void
}

interface Attached {
  readonly sessionId: string
  readonly targetInfo: { readonly targetId: string; readonly type: string; readonly url: string }
}

/** Nobody waits for us: a page that was held up for one client could be let go too early for another. */
const autoAttach = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }

/**
 * Attaches to every page of a browser, and to the frames and workers below it. Resolves when those that are there are set
 * up. Disposing detaches from all of them.
 */
export async function watchTargets(router: CdpRouter, listener: TargetListener): Promise<AsyncDisposable> {
  const targets = new Map<string, WatchedTarget>()
  const settingUp: Promise<unknown>[] = []
  const { sessionId: root } = (await router.call('Target.attachToBrowserTarget')) as { sessionId: string }
  const attach = async ({ sessionId, targetInfo }: Attached): Promise<void> => {
    const { targetId, type, url } = targetInfo
    const call = async (method: string, params?: object) => router.call(method, params, sessionId)
    const target = { targetId, type, url, sessionId, call }
    targets.set(sessionId, target)
    const filter = [{ type: 'iframe' }, { type: 'worker' }]
    await Promise.allSettled([listener.onAttached(target), call('Target.setAutoAttach', { ...autoAttach, filter })])
  }
  const stop = router.onEvent(({ sessionId, method, params = {} }) => {
    const target = sessionId === undefined ? undefined : targets.get(sessionId)
    if (sessionId !== root && target === undefined) return
    if (method === 'Target.attachedToTarget') settingUp.push(attach(params as unknown as Attached))
    else if (method === 'Target.detachedFromTarget') {
      const gone = targets.get(String(params['sessionId']))
      targets.delete(String(params['sessionId']))
      if (gone !== undefined) listener.onDetached(gone)
    } else if (target !== undefined && method !== undefined) listener.onEvent(target, method, params)
  })
  await router.call('Target.setAutoAttach', { ...autoAttach, filter: [{ type: 'page' }] }, root)
  await Promise.all(settingUp.splice(0))
  return {
    [Symbol.asyncDispose]: async () => {
      stop()
      await router.call('Target.detachFromTarget', { sessionId: root }).catch(() => undefined)
    },
  }
}
