import type { HostOptions } from './options.ts'

interface HostState {
  readonly running: number
  /** Time of `performance.now()` of the next start. */
  readonly nextStartMs: number
  /** Time of the last one that began: a while after its start, when a session had to be opened for it. */
  readonly begunMs: number
}

/** How busy each host is kept. */
export interface Hosts {
  /** Milliseconds until an item of the host may start: 0 for now, Infinity when another one has to end first. */
  readonly waitMs: (host: string | undefined) => number
  readonly start: (host: string | undefined) => void
  /** Call when the work on a started item can begin. Tells how many milliseconds it should wait. */
  readonly begin: (host: string | undefined) => number
  /** Call after that wait, which may have taken longer. */
  readonly begun: (host: string | undefined) => void
  readonly end: (host: string | undefined) => void
}

/** Hosts that are remembered for their next start alone, at most; more, and those whose time has come are forgotten. */
const sweepAt = 1000

/** Makes the limits of each host. */
export function createHosts({ concurrency = Infinity, delayMs = 0 }: HostOptions): Hosts {
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
    begin: (host) => {
      const state = host === undefined ? undefined : hosts.get(host)
      if (host === undefined || state === undefined) return 0
      const now = performance.now()
      const begunMs = Math.max(now, state.begunMs + delayMs)
      hosts.set(host, { ...state, begunMs, nextStartMs: Math.max(state.nextStartMs, begunMs + delayMs) })
      return begunMs - now
    },
    begun: (host) => {
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
