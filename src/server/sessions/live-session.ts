import type { EndReason } from '../../contract/browser.ts'
import type { Browser } from '../browsers/launch.ts'
import type { SessionRow } from '../store/sessions.ts'

/** A session whose browser runs on this node. */
export interface LiveSession {
  readonly row: SessionRow
  /** When it was admitted by this machine's clock; the store's clock may differ. Milliseconds since the epoch. */
  readonly startedAtMs: number
  readonly browser: Browser
  /** Aborts when the session ends; the reason is its EndReason. */
  readonly ended: AbortSignal
  /** When anything was last done with the session, in milliseconds since the epoch. */
  readonly lastActivityAt: () => number
  /** Notes that something was done: the idle clock starts anew. */
  readonly touch: () => void
}

/** The timers that end a session: total lifetime and inactivity. */
export interface SessionClock extends Disposable {
  readonly touch: () => void
  readonly lastActivityAt: () => number
}

/** Calls `expire` once, when `ttlSeconds` are over or nothing was touched for `activityTtlSeconds`. */
export const startSessionClock = (
  lifetime: { readonly startedAtMs: number; readonly ttlSeconds: number; readonly activityTtlSeconds: number },
  expire: (reason: Extract<EndReason, 'ttl' | 'idle'>) => void,
): SessionClock => {
  const idleMs = lifetime.activityTtlSeconds * 1000
  let lastActivityAt = lifetime.startedAtMs
  const total = setTimeout(() => expire('ttl'), lastActivityAt + lifetime.ttlSeconds * 1000 - Date.now())
  // Touching happens with every CDP frame, so it only notes the time; the timer looks again when it fires.
  const look = (): void => {
    const leftMs = lastActivityAt + idleMs - Date.now()
    if (leftMs <= 0) expire('idle')
    else idle = setTimeout(look, leftMs)
  }
  let idle = setTimeout(look, idleMs)
  return {
    touch: () => {
      lastActivityAt = Date.now()
    },
    lastActivityAt: () => lastActivityAt,
    [Symbol.dispose]: () => {
      clearTimeout(total)
      clearTimeout(idle)
    },
  }
}
