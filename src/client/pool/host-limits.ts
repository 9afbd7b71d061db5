import type { HostOptions } from './options.ts'

interface HostState {
  readonly running: number
  /** `performance.now()` at which the next item may be assigned to a session. */
  readonly nextAssignMs: number
  /**
   * `performance.now()` at which the work on the last item started. This is later than its
   * assignment if a session had to be opened first.
   */
  readonly startedMs: number
}

/** Limits concurrency and start rate per host. */
export interface HostLimits {
  /**
   * Milliseconds until an item of the host may be assigned: 0 for now, Infinity if another item has
   * to end first.
   */
  readonly waitMs: (host: string | undefined) => number
  /** Counts an item that is assigned to a session. */
  readonly assign: (host: string | undefined) => void
  /**
   * Reserves the time at which the work on an assigned item may start. Returns the milliseconds to
   * wait.
   */
  readonly reserveStart: (host: string | undefined) => number
  /** Records the actual start, which may be later than the reserved one. */
  readonly recordStart: (host: string | undefined) => void
  readonly end: (host: string | undefined) => void
}

/** Number of hosts at which idle ones whose delay has passed are removed. */
const sweepAt = 1000

/** Creates the limits of a run. */
export function createHostLimits({ concurrency = Infinity, delayMs = 0 }: HostOptions): HostLimits {
  const hosts = new Map<string, HostState>()
  const sweep = (): void => {
    if (hosts.size < sweepAt) return
    const now = performance.now()
    for (const [host, state] of hosts) if (state.running === 0 && state.nextAssignMs <= now) hosts.delete(host)
  }
  return {
    waitMs: (host) => {
      const state = host === undefined ? undefined : hosts.get(host)
      if (state === undefined) return 0
      return state.running >= concurrency ? Infinity : Math.max(0, state.nextAssignMs - performance.now())
    },
    assign: (host) => {
      if (host === undefined) return
      sweep()
      const { running = 0, startedMs = -Infinity } = hosts.get(host) ?? {}
      hosts.set(host, { running: running + 1, nextAssignMs: performance.now() + delayMs, startedMs })
    },
    reserveStart: (host) => {
      const state = host === undefined ? undefined : hosts.get(host)
      if (host === undefined || state === undefined) return 0
      const now = performance.now()
      const startedMs = Math.max(now, state.startedMs + delayMs)
      hosts.set(host, { ...state, startedMs, nextAssignMs: Math.max(state.nextAssignMs, startedMs + delayMs) })
      return startedMs - now
    },
    recordStart: (host) => {
      const state = host === undefined ? undefined : hosts.get(host)
      if (host === undefined || state === undefined) return
      const startedMs = Math.max(state.startedMs, performance.now())
      hosts.set(host, { ...state, startedMs, nextAssignMs: Math.max(state.nextAssignMs, startedMs + delayMs) })
    },
    end: (host) => {
      const state = host === undefined ? undefined : hosts.get(host)
      if (host !== undefined && state !== undefined) hosts.set(host, { ...state, running: state.running - 1 })
    },
  }
}
