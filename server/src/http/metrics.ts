import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { BrowserPool } from '../browsers/pool.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Viewers } from '../live/viewers.ts'
import type { QueueOutcome } from '../sessions/queued-request.ts'
import type { SessionQueue } from '../sessions/session-queue.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { SessionRow } from '../store/tables/sessions.ts'

/** Traffic counters of the egress proxy. */
export interface EgressCounts {
  readonly traffic: () => { readonly sentBytes: number; readonly receivedBytes: number; readonly refused: number }
}

/** Components whose values are read when metrics are collected. */
export interface MetricSources {
  readonly sessions: Sessions
  readonly sessionQueue: SessionQueue
  readonly browsers: BrowserPool
  readonly gateway: Gateway
  readonly viewers: Viewers
  readonly egress: EgressCounts
}

/** The server's Prometheus metrics. */
export interface Metrics {
  readonly registry: Registry
  readonly sessionEnded: (row: SessionRow) => void
  /** Records that a request has left the queue of sessions. */
  readonly queueLeft: (outcome: QueueOutcome, waitedSeconds: number) => void
  readonly requestCompleted: (method: string, route: string, status: number, seconds: number) => void
  /** Registers the gauges and counters that read their values from components. */
  readonly watch: (sources: MetricSources) => void
}

/** Creates the metrics in a separate registry, so that several servers can run in one process. */
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
  const queueWaits = new Histogram({
    name: 'bowline_session_queue_wait_seconds',
    help: 'Time requests have waited in the queue of sessions in seconds, by outcome',
    labelNames: ['outcome'] as const,
    buckets: [0.1, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 180, 300],
    registers,
  })
  const requests = new Histogram({
    name: 'bowline_request_seconds',
    help: 'Request duration in seconds, by method, route and status',
    labelNames: ['method', 'route', 'status'] as const,
    // A scrape may take ten minutes.
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    registers,
  })
  new Gauge({
    name: 'bowline_build_info',
    help: 'Always 1; the versions are in the labels',
    labelNames: ['version', 'node'] as const,
    registers,
  }).set({ version, node: process.versions.node }, 1)
  return {
    registry,
    sessionEnded: (row) => {
      ended.inc({ reason: row.endReason ?? 'unknown' })
      credits.inc(row.creditsBilled ?? 0)
    },
    queueLeft: (outcome, waitedSeconds) => queueWaits.observe({ outcome }, waitedSeconds),
    requestCompleted: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
    watch: (sources) => registerSources(registers, sources),
  }
}

function registerSources(
  registers: Registry[],
  { sessions, sessionQueue, browsers, gateway, viewers, egress }: MetricSources,
): void {
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
  gauge('bowline_sessions_live', 'Sessions alive or starting', () => sessions.liveSessions)
  gauge('bowline_sessions_max', 'Maximum number of sessions', () => sessions.maxSessions)
  gauge('bowline_session_queue_length', 'Requests waiting for a session', () => sessionQueue.length)
  gauge('bowline_cdp_clients', 'Connected CDP clients', () => gateway.size)
  gauge('bowline_live_viewers', 'Connected viewers of live views', () => viewers.size)
  counter('bowline_live_input_refused_total', 'Input events of view-only viewers rejected', () => viewers.refusals)
  gauge('bowline_browsers_warm', 'Idle browsers ready for a session', () => browsers.stats().warm)
  gauge('bowline_browsers_live', 'Browser processes in use', () => browsers.stats().live)
  counter('bowline_browsers_launched_total', 'Browsers launched', () => browsers.stats().launched)
  counter(
    'bowline_orphans_swept_total',
    'Browsers of previous runs found at startup and killed',
    () => browsers.stats().orphansSwept,
  )
  counter('bowline_egress_sent_bytes_total', 'Bytes from browsers to sites', () => egress.traffic().sentBytes)
  counter('bowline_egress_received_bytes_total', 'Bytes from sites to browsers', () => egress.traffic().receivedBytes)
  counter('bowline_egress_refused_total', 'Connections blocked by the address policy', () => egress.traffic().refused)
}
