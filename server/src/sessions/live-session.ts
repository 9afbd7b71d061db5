import type { EndReason } from 'bowline/contract/browser'
import type { Browser } from '../browsers/launch.ts'
import type { SessionRow } from '../store/sessions.ts'

/** A session whose browser runs on this node. */
export interface LiveSession extends SessionAge {
  readonly row: SessionRow
  readonly browser: Browser
  /** Aborts when the session ends; the reason is its EndReason. */
  readonly ended: AbortSignal
}

/** What a session knows of time: by the monotonic clock, because the wall clock may be set while it lives. */
export interface SessionAge {
  /** Milliseconds since it was admitted. */
  readonly ageMs: () => number
  /** Milliseconds from its admission to its last use; 0 when it was not used yet. */
  readonly lastUseMs: () => number
  /** When anything was last done with the session, by the clock of the store, in milliseconds since the epoch. */
  readonly lastActivityAt: () => number
  /** Notes that something was done: the idle clock starts anew. */
  readonly touch: () => void
}

/** The timers that end a session: total lifetime and inactivity. */
export interface SessionClock extends Disposable, SessionAge {
  /** Milliseconds until one of them ends it, if nothing more is done. */
  readonly leftMs: () => number
}

/**
 * Calls `expire` once, when `ttlSeconds` are over or nothing was touched for `activityTtlSeconds`. `startedAtMs` is a
 * time of `performance.now()`.
 */
export function startSessionClock(
  {
    startedAtMs,
    row,
  }: {
    readonly startedAtMs: number
    readonly row: Pick<SessionRow, 'createdAt' | 'ttlSeconds' | 'activityTtlSeconds'>
  },
  expire: (reason: Extract<EndReason, 'ttl' | 'idle'>) => void,
): SessionClock {
  const totalMs = row.ttlSeconds * 1000
  const idleMs = row.activityTtlSeconds * 1000
  const ageMs = (): number => performance.now() - startedAtMs
  let lastUseMs = 0
  const total = setTimeout(() => expire('ttl'), totalMs - ageMs())
  // Touching happens with every CDP frame, so it only notes the time; the timer looks again when it fires.
  const look = (): void => {
    const leftMs = lastUseMs + idleMs - ageMs()
    if (leftMs <= 0) expire('idle')
    else idle = setTimeout(look, leftMs)
  }
  let idle = setTimeout(look, idleMs)
  return {
    ageMs,
    lastUseMs: () => lastUseMs,
    lastActivityAt: () => row.createdAt.getTime() + lastUseMs,
    leftMs: () => Math.min(totalMs, lastUseMs + idleMs) - ageMs(),
    touch: () => {
      lastUseMs = ageMs()
    },
    [Symbol.dispose]: () => {
      clearTimeout(total)
      clearTimeout(idle)
    },
  }
}
