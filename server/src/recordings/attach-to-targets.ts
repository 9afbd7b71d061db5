import type { CdpRouter } from '../cdp/router.ts'

/** A page, out-of-process iframe or worker with its CDP session. */
export interface AttachedTarget {
  readonly targetId: string
  readonly type: string
  readonly url: string
  readonly sessionId: string
  readonly call: (method: string, params?: object) => Promise<Readonly<Record<string, unknown>>>
}

/** Callbacks for the targets of a browser. */
export interface TargetListener {
  /** Sets up a target. */
  readonly onAttached: (target: AttachedTarget) => Promise<void>
  readonly onDetached: (target: AttachedTarget) => void
  readonly onEvent: (target: AttachedTarget, method: string, params: Readonly<Record<string, unknown>>) => void
}

interface Attached {
  readonly sessionId: string
  readonly targetInfo: { readonly targetId: string; readonly type: string; readonly url: string }
}

/** Without `waitForDebuggerOnStart`: one client could resume a target too early for another. */
const autoAttach = { autoAttach: true, waitForDebuggerOnStart: false, flatten: true }

/**
 * Attaches to all pages of a browser, their out-of-process iframes and their workers. Resolves when
 * the existing ones are set up. Disposing detaches from all.
 */
export async function attachToTargets(router: CdpRouter, listener: TargetListener): Promise<AsyncDisposable> {
  const targets = new Map<string, AttachedTarget>()
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
      const detached = targets.get(String(params['sessionId']))
      targets.delete(String(params['sessionId']))
      if (detached !== undefined) listener.onDetached(detached)
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
