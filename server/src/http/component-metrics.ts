import type { BrowserPool } from '../browsers/pool.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Viewers } from '../live/viewers.ts'
import type { Metrics, Sample } from '../metrics/metrics.ts'
import type { Scrapes } from '../scrape/scrapes.ts'
import type { SessionQueue } from '../sessions/session-queue.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'

/** Traffic counters of the egress proxy. */
export interface EgressCounts {
  readonly traffic: () => { readonly sentBytes: number; readonly receivedBytes: number; readonly refused: number }
}

/** Components whose counts are read when metrics are collected. */
export interface ComponentMetricsDeps {
  readonly sessions: Pick<Sessions, 'liveSessionCount' | 'maxSessions' | 'isDraining'>
  readonly sessionQueue: Pick<SessionQueue, 'length'>
  readonly browsers: Pick<BrowserPool, 'stats'>
  readonly scrapes: Pick<Scrapes, 'openPages'>
  readonly gateway: Pick<Gateway, 'size'>
  readonly viewers: Pick<Viewers, 'size' | 'refusals'>
  readonly egress: EgressCounts
  readonly store: Pick<Store, 'connections'>
}

/** Registers the metrics whose values components count themselves. Reading them costs nothing. */
export function readComponents(metrics: Metrics, deps: ComponentMetricsDeps): void {
  const { sessions, sessionQueue, browsers, scrapes, gateway, viewers, egress, store } = deps
  metrics.read('bowline_draining', () => Number(sessions.isDraining))
  metrics.read('bowline_sessions_live', () => sessions.liveSessionCount)
  metrics.read('bowline_sessions_max', () => sessions.maxSessions)
  metrics.read('bowline_session_queue_length', () => sessionQueue.length)
  metrics.read('bowline_cdp_clients', () => gateway.size)
  metrics.read('bowline_live_viewers', () => viewers.size)
  metrics.read('bowline_live_input_refused_total', () => viewers.refusals)
  metrics.read('bowline_browsers_warm', () => browsers.stats().warm)
  metrics.read('bowline_browsers_live', () => browsers.stats().live)
  metrics.read('bowline_browsers_launched_total', () => browsers.stats().launched)
  metrics.read('bowline_orphans_swept_total', () => browsers.stats().orphansSwept)
  metrics.read('bowline_render_pages_open', () => scrapes.openPages().open)
  metrics.read('bowline_render_pages_waiting', () => scrapes.openPages().waiting)
  metrics.read('bowline_egress_sent_bytes_total', () => egress.traffic().sentBytes)
  metrics.read('bowline_egress_received_bytes_total', () => egress.traffic().receivedBytes)
  metrics.read('bowline_egress_refused_total', () => egress.traffic().refused)
  metrics.read('bowline_database_connections_max', () => store.connections().max)
  metrics.read('bowline_database_waiting', () => store.connections().waiting)
  metrics.readSamples('bowline_database_connections', (): readonly Sample<'bowline_database_connections'>[] => {
    const { open, idle } = store.connections()
    return [
      { labels: { state: 'busy' }, value: open - idle },
      { labels: { state: 'idle' }, value: idle },
    ]
  })
}
