import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { BrowserPool } from '../browsers/pool.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { LiveViews } from '../live/live-views.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { SessionRow } from '../store/sessions.ts'

/** What the egress proxy tells about itself. */
export interface EgressCounts {
  readonly traffic: () => { readonly sentBytes: number; readonly receivedBytes: number; readonly refused: number }
}

/** The parts of the server that are asked for their numbers. */
export interface WatchedDeps {
  readonly sessions: Sessions
  readonly browsers: BrowserPool
  readonly gateway: Gateway
  readonly live: LiveViews
  readonly egress: EgressCounts
}

/** The server's Prometheus metrics. */
export interface Metrics {
  readonly registry: Registry
  readonly sessionEnded: (row: SessionRow) => void
  readonly requestAnswered: (method: string, route: string, status: number, seconds: number) => void
  /** Makes the gauges and counters that ask the parts of the server. */
  readonly watch: (deps: WatchedDeps) => void
}

/** Makes a registry of its own, so that several servers may live in one process. */
export function createMetrics(version: string): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const ended = new Counter({
    name: 'bowline_sessions_ended_total',
    help: 'Sessions ended, by reason',
    labelNames: ['reason'] as const,
    registers,
  })
  const credits = new Counter({ name: 'bowline_credits_billed_total', help: 'Credits billed for sessions', registers })
  const requests = new Histogram({
    name: 'bowline_request_seconds',
    help: 'Time to answer a request, by method, route and status',
    labelNames: ['method', 'route', 'status'] as const,
    // A scrape may take ten minutes.
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    registers,
  })
  new Gauge({
    name: 'bowline_build_info',
    help: 'Always 1; its labels tell the versions',
    labelNames: ['version', 'node'] as const,
    registers,
  }).set({ version, node: process.versions.node }, 1)
  return {
    registry,
    sessionEnded: (row) => {
      ended.inc({ reason: row.endReason ?? 'unknown' })
      credits.inc(row.creditsBilled ?? 0)
    },
    requestAnswered: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
    watch: (deps) => watchParts(registers, deps),
  }
}

function watchParts(registers: Registry[], { sessions, browsers, gateway, live, egress }: WatchedDeps): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    void new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read())
      },
    })
  }
  const counter = (name: string, help: string, read: () => number): void => {
    void new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read())
      },
    })
  }
  gauge('bowline_sessions_live', 'Sessions alive or starting', () => sessions.load)
  gauge('bowline_sessions_max', 'Sessions that may live at once', () => sessions.maxSessions)
  gauge('bowline_cdp_clients', 'Connected CDP clients', () => gateway.size)
  gauge('bowline_live_viewers', 'Connected viewers of live views', () => live.size)
  counter('bowline_live_input_refused_total', 'Input of watching viewers refused', () => live.refusals)
  gauge('bowline_browsers_warm', 'Browsers started and waiting', () => browsers.stats().warm)
  gauge('bowline_browsers_live', 'Browser processes in use', () => browsers.stats().live)
  counter('bowline_browsers_launched_total', 'Browsers launched', () => browsers.stats().launched)
  counter(
    'bowline_orphans_swept_total',
    'Browsers of earlier runs found alive at the start',
    () => browsers.stats().orphansSwept,
  )
  counter('bowline_egress_sent_bytes_total', 'Bytes from browsers to sites', () => egress.traffic().sentBytes)
  counter('bowline_egress_received_bytes_total', 'Bytes from sites to browsers', () => egress.traffic().receivedBytes)
  counter('bowline_egress_refused_total', 'Connections refused by the address policy', () => egress.traffic().refused)
}
