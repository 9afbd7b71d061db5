import type { EndReason } from 'bowline/contract/browser'
import type { SessionRow } from '../store/tables/sessions.ts'

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
  /**
   * Suspends the inactivity timeout until the returned function is called. It then starts again.
   */
  readonly suspendIdle: () => () => void
}

/** Lifetime and maximum idle time of a session. */
export type SessionTimes = Pick<SessionRow, 'ttlSeconds' | 'activityTtlSeconds'>

/**
 * The timers of a session: total lifetime and inactivity. Calls `expire` once, after `ttlSeconds`
 * or after `activityTtlSeconds` without a call of `touch`.
 */
export class SessionClock implements Disposable, SessionAge {
  readonly #startedAtMs: number
  readonly #createdAt: Date
  readonly #expire: (reason: Extract<EndReason, 'ttl' | 'idle'>) => void
  #times: SessionTimes
  #lastUseMs = 0
  #suspensions = 0
  #total: NodeJS.Timeout | undefined
  #idle: NodeJS.Timeout | undefined

  /** `startedAtMs` is a time of `performance.now()`. */
  constructor(
    { startedAtMs, row }: { readonly startedAtMs: number; readonly row: SessionTimes & Pick<SessionRow, 'createdAt'> },
    expire: (reason: Extract<EndReason, 'ttl' | 'idle'>) => void,
  ) {
    this.#startedAtMs = startedAtMs
    this.#createdAt = row.createdAt
    this.#expire = expire
    this.#times = row
    this.#start(row.activityTtlSeconds * 1000)
  }

  readonly ageMs = (): number => performance.now() - this.#startedAtMs
  readonly lastUseMs = (): number => this.#lastUseMs
  readonly lastActivityAt = (): number => this.#createdAt.getTime() + this.#lastUseMs

  readonly touch = (): void => {
    // Called for every CDP message, so it only records the time. The timer checks it when it fires.
    this.#lastUseMs = this.ageMs()
  }

  readonly suspendIdle = (): (() => void) => {
    this.#suspensions += 1
    let isSuspended = true
    return () => {
      if (!isSuspended) return
      isSuspended = false
      this.#suspensions -= 1
      this.touch()
    }
  }

  /** Milliseconds until one of the timers ends the session, if it is not used again. */
  leftMs(): number {
    return Math.min(this.#times.ttlSeconds * 1000 - this.ageMs(), this.#idleLeftMs())
  }

  /** Replaces the lifetime, which counts from the start, and the maximum idle time. */
  setTimes(times: SessionTimes): void {
    this[Symbol.dispose]()
    this.#times = times
    this.#start(this.#idleLeftMs())
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#total)
    clearTimeout(this.#idle)
  }

  #start(idleLeftMs: number): void {
    const totalLeftMs = this.#times.ttlSeconds * 1000 - this.ageMs()
    this.#total = setTimeout(() => this.#expire('ttl'), Math.max(0, totalLeftMs))
    this.#idle = setTimeout(() => this.#checkIdle(), Math.max(0, idleLeftMs))
  }

  #checkIdle(): void {
    const leftMs = this.#idleLeftMs()
    if (leftMs <= 0) this.#expire('idle')
    else this.#idle = setTimeout(() => this.#checkIdle(), leftMs)
  }

  #idleLeftMs(): number {
    const idleMs = this.#times.activityTtlSeconds * 1000
    // The end of the suspension counts as a use, so the session is not idle before then.
    if (this.#suspensions > 0) return idleMs
    return this.#lastUseMs + idleMs - this.ageMs()
  }
}
