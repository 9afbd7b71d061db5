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

/** The server's Prometheus metrics. */
export interface Metrics {
  readonly registry: Registry
  readonly sessionEnded: (row: SessionRow) => void
  readonly requestAnswered: (route: string, status: number, seconds: number) => void
  /** Makes the gauges that ask the parts of the server. */
  readonly watch: (parts: {
    readonly sessions: Sessions
    readonly browsers: BrowserPool
    readonly gateway: Gateway
    readonly live: LiveViews
    readonly egress: EgressCounts
  }) => void
}

/** Makes a registry of its own, so that several servers may live in one process. */
export const createMetrics = (): Metrics => {
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
    help: 'Time to answer a request, by route and status',
    labelNames: ['route', 'status'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
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
  return {
    registry,
    sessionEnded: (row) => {
      ended.inc({ reason: row.endReason ?? 'unknown' })
      credits.inc(row.creditsBilled ?? 0)
    },
    requestAnswered: (route, status, seconds) => requests.observe({ route, status }, seconds),
    watch: ({ sessions, browsers, gateway, live, egress }) => {
      gauge('bowline_sessions_live', 'Sessions alive or starting', () => sessions.load)
      gauge('bowline_sessions_max', 'Sessions that may live at once', () => sessions.maxSessions)
      gauge('bowline_cdp_clients', 'Connected CDP clients', () => gateway.size)
      gauge('bowline_live_viewers', 'Connected viewers of live views', () => live.size)
      gauge('bowline_live_input_refused', 'Input of watching viewers refused since the start', () => live.refusals)
      gauge('bowline_browsers_warm', 'Browsers started and waiting', () => browsers.stats().warm)
      gauge('bowline_browsers_live', 'Browser processes in use', () => browsers.stats().live)
      gauge('bowline_browsers_launched', 'Browsers launched since the start', () => browsers.stats().launched)
      gauge(
        'bowline_orphans_swept',
        'Browsers of earlier runs found alive at the start',
        () => browsers.stats().orphansSwept,
      )
      gauge('bowline_egress_sent_bytes', 'Bytes from browsers to sites', () => egress.traffic().sentBytes)
      gauge('bowline_egress_received_bytes', 'Bytes from sites to browsers', () => egress.traffic().receivedBytes)
      gauge('bowline_egress_refused', 'Connections refused by the address policy', () => egress.traffic().refused)
    },
  }
}
