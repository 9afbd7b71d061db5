import type { EndReason } from 'bowline/contract/browser'
import type { Browser } from '../browsers/launch.ts'
import type { PageFocus } from '../cdp/page-focus.ts'
import type { ReadPauser } from '../cdp/read-pauser.ts'
import type { Downloads } from '../files/downloads.ts'
import type { SessionFiles } from '../files/session-files.ts'
import type { LiveView } from '../live/live-view.ts'
import type { SessionRecording } from '../recordings/recordings.ts'
import type { SessionRow } from '../store/tables/sessions.ts'

/** The browser and the lifetime of a session, with which its components work. */
export interface SessionCore extends SessionAge {
  readonly row: SessionRow
  readonly browser: Browser
  /** Aborts when the session ends. The reason is its EndReason. */
  readonly ended: AbortSignal
  /** Closes the components when the browser is stopped. */
  readonly resources: AsyncDisposableStack
}

/** Components that each session has. */
export interface SessionComponents {
  readonly focus: PageFocus
  readonly files: SessionFiles
  readonly downloads: Downloads
  readonly liveView: LiveView
  readonly readPauser: ReadPauser
}

/** A session whose browser runs on this node. */
export interface LiveSession extends SessionCore, SessionComponents {
  /** Set once the session is recorded. */
  recording: SessionRecording | undefined
}

/** Age and last use of a session, by the monotonic clock, because the wall clock can be changed. */
export interface SessionAge {
  /** Milliseconds since the session was admitted. */
  readonly ageMs: () => number
  /** Milliseconds from admission to the last use; 0 if it was not used yet. */
  readonly lastUseMs: () => number
  /** Time of the last use by the clock of the store, in milliseconds since the epoch. */
  readonly lastActivityAt: () => number
  /** Records a use and restarts the inactivity timeout. */
  readonly touch: () => void
}

/** The timers of a session: total lifetime and inactivity. */
export interface SessionClock extends Disposable, SessionAge {
  /** Milliseconds until one of them ends the session, if it is not used again. */
  readonly leftMs: () => number
}

/**
 * Calls `expire` once, after `ttlSeconds` or after `activityTtlSeconds` without a call of `touch`.
 * `startedAtMs` is a time of `performance.now()`.
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
  // `touch` is called for every CDP message, so it only records the time. The timer checks it when
  // it fires.
  const check = (): void => {
    const leftMs = lastUseMs + idleMs - ageMs()
    if (leftMs <= 0) expire('idle')
    else idle = setTimeout(check, leftMs)
  }
  let idle = setTimeout(check, idleMs)
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
