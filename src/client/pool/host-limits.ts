import type { HostOptions } from './options.ts'

interface HostState {
  readonly running: number
  /** `performance.now()` at which the next item may start. */
  readonly nextStartMs: number
  /**
   * `performance.now()` at which the last item began. This is later than its start if a session had
   * to be opened first.
   */
  readonly begunMs: number
}

/** Limits concurrency and start rate per host. */
export interface HostLimits {
  /**
   * Milliseconds until an item of the host may start: 0 for now, Infinity if another item has to
   * end first.
   */
  readonly waitMs: (host: string | undefined) => number
  /** Counts an item that was assigned to a session. */
  readonly start: (host: string | undefined) => void
  /**
   * Reserves the time at which the work on a started item may begin. Returns the milliseconds to
   * wait.
   */
  readonly reserveBegin: (host: string | undefined) => number
  /** Records the actual beginning, which may be later than the reserved one. */
  readonly recordBegin: (host: string | undefined) => void
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
    for (const [host, state] of hosts) if (state.running === 0 && state.nextStartMs <= now) hosts.delete(host)
  }
  return {
    waitMs: (host) => {
      const state = host === undefined ? undefined : hosts.get(host)
      if (state === undefined) return 0
      return state.running >= concurrency ? Infinity : Math.max(0, state.nextStartMs - performance.now())
    },
    start: (host) => {
      if (host === undefined) return
      sweep()
      const { running = 0, begunMs = -Infinity } = hosts.get(host) ?? {}
      hosts.set(host, { running: running + 1, nextStartMs: performance.now() + delayMs, begunMs })
    },
    reserveBegin: (host) => {
      const state = host === undefined ? undefined : hosts.get(host)
      if (host === undefined || state === undefined) return 0
      const now = performance.now()
      const begunMs = Math.max(now, state.begunMs + delayMs)
      hosts.set(host, { ...state, begunMs, nextStartMs: Math.max(state.nextStartMs, begunMs + delayMs) })
      return begunMs - now
    },
    recordBegin: (host) => {
      const state = host === undefined ? undefined : hosts.get(host)
      if (host === undefined || state === undefined) return
      const begunMs = Math.max(state.begunMs, performance.now())
      hosts.set(host, { ...state, begunMs, nextStartMs: Math.max(state.nextStartMs, begunMs + delayMs) })
    },
    end: (host) => {
      const state = host === undefined ? undefined : hosts.get(host)
      if (host !== undefined && state !== undefined) hosts.set(host, { ...state, running: state.running - 1 })
    },
  }
}
