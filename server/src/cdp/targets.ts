import type { CdpCall, CdpEvent, Protocol } from './protocol.ts'
import type { CdpRouter } from './router.ts'

/** A CDP session of the server: with a target, or with the browser itself. */
export interface CdpSession extends AsyncDisposable {
  readonly cdpSessionId: string
  /** Sends a command to the target. Rejects with CDP_FAILED as `CdpRouter.call` does. */
  readonly call: CdpCall
  /** Calls the listener with each event of this session. Returns a function that removes it. */
  readonly onEvent: (listener: (event: CdpEvent) => void) => () => void
}

/**
 * Attaches to the browser itself. Disposing detaches, also from all targets that were attached in
 * the session, and never rejects.
 */
export async function attachToBrowser(router: CdpRouter): Promise<CdpSession> {
  const { sessionId: cdpSessionId } = await router.call('Target.attachToBrowserTarget')
  return openSession(router, cdpSessionId, router.call)
}

/**
 * Attaches to a target, in a session with the browser if one is given. Disposing detaches and never
 * rejects. Rejects with CDP_FAILED if the target is gone.
 */
export async function attachToTarget(router: CdpRouter, targetId: string, browser?: CdpSession): Promise<CdpSession> {
  const call = browser?.call ?? router.call
  const { sessionId: cdpSessionId } = await call('Target.attachToTarget', { targetId, flatten: true })
  return openSession(router, cdpSessionId, call)
}

/** A target that was attached automatically: a page, an out-of-process frame or a worker. */
export interface AttachedTarget {
  readonly targetId: string
  readonly type: string
  readonly url: string
  readonly browserContextId: string | undefined
  readonly cdpSessionId: string
  /** Session in which the target was announced: of the embedding page, or the browser. */
  readonly parentCdpSessionId: string
  readonly call: CdpCall
}

/** Options of `autoAttach`. */
export interface AutoAttachOptions {
  /** Targets to attach to from the root. Default: all but the browser and its tabs. */
  readonly filter?: Protocol.Target.TargetFilter | undefined
  /** Targets to attach to from each attached target. Default: as for `filter`. */
  readonly childFilter?: Protocol.Target.TargetFilter | undefined
  /**
   * Whether new targets wait until the commands that `onAttached` sends before its first `await`
   * have taken effect. Default: false.
   */
  readonly pausesNewTargets?: boolean | undefined
  /** Sets up a target. */
  readonly onAttached: (target: AttachedTarget) => Promise<void>
  readonly onDetached: (target: AttachedTarget) => void
  /** Called with each event of an attached target, except those about its own children. */
  readonly onEvent: (target: AttachedTarget, event: CdpEvent) => void
}

/** Automatic attachment to the targets below a session. Disposing stops the callbacks. */
export interface AutoAttachment extends Disposable {
  /** Resolves when the existing targets are set up. Rejects with CDP_FAILED if the root is gone. */
  readonly ready: Promise<void>
}

/**
 * Attaches to the targets below a session, and to the targets below those. They stay attached until
 * `root` is detached.
 */
export function autoAttach(router: CdpRouter, root: CdpSession, options: AutoAttachOptions): AutoAttachment {
  // By default false: one client could resume a target too early for another.
  const { pausesNewTargets: waitForDebuggerOnStart = false } = options
  const attaching = { autoAttach: true, waitForDebuggerOnStart, flatten: true } as const
  const targets = new Map<string, AttachedTarget>()
  const settingUp: Promise<unknown>[] = []
  const attach = async (parent: string, event: Protocol.Target.AttachedToTargetEvent): Promise<void> => {
    const { targetId, type, url, browserContextId } = event.targetInfo
    const { sessionId: cdpSessionId } = event
    const call = router.callIn(cdpSessionId)
    const target = { targetId, type, url, browserContextId, cdpSessionId, parentCdpSessionId: parent, call }
    targets.set(cdpSessionId, target)
    const set = options.onAttached(target)
    const children = call('Target.setAutoAttach', { ...attaching, filter: options.childFilter })
    // Not after the responses: a target that waits does not respond to every command.
    const resumed = waitForDebuggerOnStart ? call('Runtime.runIfWaitingForDebugger') : undefined
    await Promise.allSettled([set, children, resumed])
  }
  const stop = router.onEvent((event) => {
    const { method, params, sessionId: cdpSessionId = '' } = event
    const target = targets.get(cdpSessionId)
    if (target === undefined && cdpSessionId !== root.cdpSessionId) return
    if (method === 'Target.attachedToTarget') settingUp.push(attach(cdpSessionId, params))
    else if (method === 'Target.detachedFromTarget') {
      const detached = targets.get(params.sessionId)
      targets.delete(params.sessionId)
      if (detached !== undefined) options.onDetached(detached)
    } else if (target !== undefined) options.onEvent(target, event)
  })
  const start = async (): Promise<void> => {
    await root.call('Target.setAutoAttach', { ...attaching, filter: options.filter })
    await Promise.all(settingUp.splice(0))
  }
  return { ready: start(), [Symbol.dispose]: stop }
}

function openSession(router: CdpRouter, cdpSessionId: string, parentCall: CdpCall): CdpSession {
  return {
    cdpSessionId,
    call: router.callIn(cdpSessionId),
    onEvent: (listener) =>
      router.onEvent((event) => {
        if (event.sessionId === cdpSessionId) listener(event)
      }),
    [Symbol.asyncDispose]: async () => {
      // Fails if the target is closed or the browser has exited.
      await parentCall('Target.detachFromTarget', { sessionId: cdpSessionId }).catch(() => undefined)
    },
  }
}
