import type { Logger } from 'pino'
import { Billing } from '../billing/billing.ts'
import type { BrowserHost } from '../browsers/host.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { BrowserPool } from '../browsers/pool.ts'
import type { ServerConfig } from '../config.ts'
import { Extensions } from '../extensions/extensions.ts'
import type { Tracer } from '../kit/span.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Profiles } from '../profiles/profiles.ts'
import { sessionsThatFit } from '../sessions/capacity.ts'
import type { SessionDeps } from '../sessions/session-deps.ts'
import type { Store } from '../store/store.ts'
import { WriteHealth } from '../store/write-health.ts'
import { withPrices } from '../billing/prices.ts'

/** Dependencies that the sessions and most other parts of the server share. */
export type SharedDeps = Omit<SessionDeps, 'webhooks'> & {
  readonly billing: Billing
  readonly metrics: Metrics
  /** `undefined` without tracing. */
  readonly tracer: Tracer | undefined
  /** Whether this node's heartbeats reach the store. */
  readonly writes: WriteHealth
}

/** Settings of the shared dependencies. */
export type SharedSettings = Pick<ServerConfig, 'prices' | 'maxSessions' | 'maxPages' | 'maxExtensions'>

/** Collects the dependencies that the sessions and most other parts of the server share. */
export function collectSharedDeps(
  settings: SharedSettings,
  deps: {
    store: Store
    blobs: Blobs
    browsers: BrowserPool
    profiles: Profiles
    host: BrowserHost
    nodeId: string
    metrics: Metrics
    tracer: Tracer | undefined
    log: Logger
  },
): SharedDeps {
  const { store, blobs, browsers, profiles, host, nodeId, metrics, tracer, log } = deps
  const onError = (error: unknown, action: string): void => log.error({ err: error }, `failed: ${action}`)
  const { maxExtensions } = settings
  return {
    store,
    browsers,
    profiles,
    extensions: new Extensions({ store, blobs, maxExtensions, onError }),
    metrics,
    tracer,
    writes: new WriteHealth(),
    billing: new Billing({
      store,
      nodeId,
      onCharge: ({ kind, credits }) => metrics.increment('bowline_credits_billed_total', { kind }, credits),
    }),
    prices: withPrices(settings.prices),
    nodeId,
    maxSessions: settings.maxSessions ?? sessionsThatFit(host.binary.kind, settings),
    onEnd: (row) => {
      const { id, name: sessionName, teamId, apiKeyId: keyId, endReason, durationMs, creditsBilled } = row
      if (endReason !== undefined) metrics.increment('bowline_sessions_ended_total', { reason: endReason })
      metrics.increment('bowline_credits_billed_total', { kind: 'session' }, creditsBilled)
      log.info({ sessionId: id, sessionName, teamId, keyId, endReason, durationMs, creditsBilled }, 'session ended')
    },
    onError,
  }
}
