import { endReason } from 'bowline/contract/browser'
import { errorCodes, serverFaultCodes } from './error-code-of.ts'
import { longSeconds, outcomes, shortSeconds, waitSeconds, type MetricDefinition } from './metric-definition.ts'

/** Metrics of sessions and their clients. */
export const sessionMetrics = {
  bowline_sessions_live: { type: 'gauge', help: 'Sessions alive or starting' },
  bowline_sessions_max: { type: 'gauge', help: 'Maximum number of sessions of the server' },
  bowline_session_start_seconds: {
    type: 'histogram',
    help: 'Time in which sessions started, without the queue',
    unit: 'seconds',
    buckets: longSeconds,
  },
  bowline_session_start_failures_total: {
    type: 'counter',
    help: 'Requests for a session that failed or were refused, by error code',
    labels: { reason: errorCodes },
    initial: [...serverFaultCodes, 'CONCURRENCY_LIMIT', 'INSUFFICIENT_CREDITS'],
  },
  bowline_sessions_ended_total: {
    type: 'counter',
    help: 'Sessions that ended, by reason',
    labels: { reason: endReason.options },
  },
  bowline_session_queue_length: { type: 'gauge', help: 'Requests that wait for a session' },
  bowline_session_queue_wait_seconds: {
    type: 'histogram',
    help: 'Time that requests have waited in the queue of sessions',
    unit: 'seconds',
    labels: { outcome: ['created', 'timeout', 'cancelled', 'error'] },
    buckets: waitSeconds,
  },
  bowline_session_memory_bytes: {
    type: 'histogram',
    help: 'Memory (PSS) of the browsers of live sessions. Measured at most once a minute, in up to 16 sessions',
    unit: 'bytes',
    buckets: [64e6, 128e6, 192e6, 256e6, 384e6, 512e6, 768e6, 1e9, 2e9, 4e9],
  },
  bowline_cdp_clients: { type: 'gauge', help: 'Connected CDP clients' },
  bowline_cdp_connect_seconds: {
    type: 'histogram',
    help: 'Time in which CDP connections opened. refused: the request was invalid, such as an unknown token',
    unit: 'seconds',
    labels: { outcome: ['success', 'refused', 'error'] },
    buckets: shortSeconds,
  },
  bowline_live_viewers: { type: 'gauge', help: 'Connected viewers of live views' },
  bowline_live_input_refused_total: { type: 'counter', help: 'Input events of view-only viewers that were rejected' },
} as const satisfies Readonly<Record<string, MetricDefinition>>

/** Metrics of browser processes. */
export const browserMetrics = {
  bowline_browsers_warm: { type: 'gauge', help: 'Idle browsers ready for a session' },
  bowline_browsers_live: { type: 'gauge', help: 'Browsers in use by sessions and scrapes' },
  bowline_browsers_launched_total: { type: 'counter', help: 'Browsers launched' },
  bowline_browser_start_seconds: {
    type: 'histogram',
    help: 'Time in which browsers started, from the launch to the first response',
    unit: 'seconds',
    labels: { outcome: outcomes },
    buckets: longSeconds,
  },
  bowline_orphans_swept_total: {
    type: 'counter',
    help: 'Browsers of previous runs that still ran at the start, and were killed',
  },
  bowline_leaked_browsers: {
    type: 'gauge',
    help: 'Browsers in use that no session and no scrape has. Checked at most once a minute',
  },
  bowline_leaked_contexts: {
    type: 'gauge',
    help: 'Browser contexts that no scrape has. Checked at most once a minute',
  },
  bowline_leaked_directories: {
    type: 'gauge',
    help: 'Directories of browsers that no longer run. Checked at most once a minute',
  },
  bowline_egress_sent_bytes_total: { type: 'counter', help: 'Bytes from browsers to sites', unit: 'bytes' },
  bowline_egress_received_bytes_total: { type: 'counter', help: 'Bytes from sites to browsers', unit: 'bytes' },
  bowline_egress_refused_total: { type: 'counter', help: 'Connections that the address policy blocked' },
} as const satisfies Readonly<Record<string, MetricDefinition>>
