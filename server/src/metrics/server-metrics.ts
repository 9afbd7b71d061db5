import { errorCodes, serverFaultCodes } from './error-code-of.ts'
import type { MetricDefinition } from './metric-definition.ts'

/** Metrics of the HTTP API, the database and the server itself. */
export const serverMetrics = {
  bowline_request_seconds: {
    type: 'histogram',
    help: 'Duration of requests',
    unit: 'seconds',
    labels: {
      method: 'HTTP method',
      route: 'path pattern of the route, `none` for unknown paths',
      status: 'HTTP status',
    },
    // A scrape may take ten minutes.
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
  },
  bowline_request_errors_total: {
    type: 'counter',
    help: 'Error responses, by error code',
    labels: { code: errorCodes },
    initial: serverFaultCodes,
  },
  bowline_ready: { type: 'gauge', help: '1 if the server can take new work, as in the readiness check' },
  bowline_draining: { type: 'gauge', help: '1 while the server shuts down' },
  bowline_database_up: { type: 'gauge', help: '1 if the database responds' },
  bowline_database_query_seconds: {
    type: 'gauge',
    help: 'Duration of the query that reads the shared metrics',
    unit: 'seconds',
  },
  bowline_database_connections: {
    type: 'gauge',
    help: 'Open connections of the pool. The embedded database has one',
    labels: { state: ['busy', 'idle'] },
  },
  bowline_database_connections_max: { type: 'gauge', help: 'Maximum connections of the pool' },
  bowline_database_waiting: { type: 'gauge', help: 'Statements and transactions that wait for a connection' },
  bowline_database_size_bytes: { type: 'gauge', help: 'Size of the database', unit: 'bytes', isShared: true },
  bowline_nodes_alive: { type: 'gauge', help: 'Servers on the database that send heartbeats', isShared: true },
  bowline_data_dir_bytes: {
    type: 'gauge',
    help: 'Size of the files in the data directory. Measured at most once every 5 minutes',
    unit: 'bytes',
    labels: { part: ['database', 'blobs', 'browsers', 'other'] },
  },
  bowline_data_dir_free_bytes: {
    type: 'gauge',
    help: 'Free space of the disk of the data directory',
    unit: 'bytes',
  },
  bowline_isolation_layer: {
    type: 'gauge',
    help: '1 for each active isolation layer of browsers, 0 for the others',
    labels: { layer: 'isolation layer, as in the readiness check' },
  },
  bowline_build_info: {
    type: 'gauge',
    help: 'Always 1. The versions are in the labels',
    labels: { version: 'version of the server', node: 'version of Node' },
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>
