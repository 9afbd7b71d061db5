import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { BrowserHost } from '../browsers/host.ts'
import { describeIsolation } from '../browsers/isolation.ts'
import { createPeers } from '../cluster/peers.ts'
import type { ServerConfig } from '../config.ts'
import type { Egress } from '../egress/egress.ts'
import { Gateway } from '../gateway/gateway.ts'
import { buildHttpApp } from '../http/app.ts'
import { createAuthenticator, type Authenticator } from '../http/auth.ts'
import { createAuthFailureLog } from '../http/auth-failures.ts'
import { Watchers } from '../http/watch-job.ts'
import { runEvery } from '../kit/run-every.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Usage } from '../usage/open-usage.ts'
import { packageVersion } from '../version.ts'
import { openLive } from './open-live.ts'
import { openSessions } from './open-sessions.ts'
import type { Services } from './open-services.ts'
import type { AppDeps } from './collect-app-deps.ts'

const apiKeyUseMs = 30_000

/** The HTTP server and the sessions behind it. */
export interface ApiServer {
  readonly app: FastifyInstance
  readonly sessions: Sessions
  /** Stack of the heartbeat. It is disposed after the sessions have ended. */
  readonly heartbeatResources: AsyncDisposableStack
}

interface ApiServerDeps {
  readonly egress: Egress
  readonly blobs: Blobs
  /** Resolves once the start can no longer fail. */
  readonly whenStarted: Promise<void>
}

/**
 * Builds the sessions, the gateway, the live view and the HTTP application. `resources` closes
 * them. The caller calls `listen`.
 */
export async function openApiServer(
  resources: AsyncDisposableStack,
  config: ServerConfig,
  deps: AppDeps & Services & Usage & ApiServerDeps,
  host: BrowserHost,
  log: Logger,
): Promise<ApiServer> {
  const { store, browsers, profiles, metrics, egress, jobs, nodeId, onError } = deps
  const { sessions, artifacts, recordings } = openSessions(resources, config, deps)
  const gateway = new Gateway(sessions, onError)
  const live = openLive(store, sessions, onError)
  const logAuthFailure = createAuthFailureLog((facts) => log.info(facts, 'Authentication failed'))
  const authenticator = createAuthenticator(store, logAuthFailure)
  metrics.watch({ sessions, browsers, gateway, live, egress })
  const watchers = new Watchers({ jobs, authenticator, publicUrl: config.publicUrl, onError })
  const { app, drain } = await buildHttpApp({
    ...routeServices(deps),
    watchers,
    states: { sessions, profiles },
    sessions,
    gateway,
    live,
    artifacts,
    recordings,
    authenticator,
    dataDir: config.dataDir,
    metricsToken: config.metricsToken,
    peers: createPeers(store, nodeId),
    log,
    isolation: describeIsolation(host.isolation),
    binary: host.binary,
    publicUrl: config.publicUrl,
    maxConnections: config.maxConnections,
    version: packageVersion,
  })
  // Disposed last to first. Sessions end while sockets can still send the reason and requests in
  // flight can finish. Then the sockets close, then the listener.
  resources.defer(drain.close)
  resources.use(watchers)
  resources.use(gateway)
  resources.use(live)
  resources.use(startStoringKeyUse(authenticator, onError))
  const heartbeatResources = resources.use(new AsyncDisposableStack())
  resources.defer(
    async () => void (await Promise.all([sessions.drain(), drain.waitForPending(config.drainTimeout * 1000)])),
  )
  return { app, sessions, heartbeatResources }
}

/** Selects the services that routes use. */
function routeServices(deps: AppDeps & Services & Usage & ApiServerDeps) {
  const { store, blobs, billing, browsers, profiles, metrics, nodeId, writes, whenStarted, onError } = deps
  const { scrapes, billedScrapes, searches, mapper, extracts, monitors, webhooks, jobs, languageModel } = deps
  const { activity, checkRateLimit } = deps
  const node = { store, blobs, billing, browsers, profiles, metrics, nodeId, writes, whenStarted, onError }
  const services = { scrapes, billedScrapes, searches, mapper, extracts, monitors, webhooks, jobs, languageModel }
  return { ...node, ...services, activity, checkRateLimit }
}

/** Stores when keys were last used: every 30 s, and once on disposal. */
function startStoringKeyUse(authenticator: Authenticator, onError: AppDeps['onError']): AsyncDisposable {
  const storing = runEvery(apiKeyUseMs, async () => authenticator.storeKeyUse(), {
    onError: (error) => onError(error, 'recording API key use'),
  })
  return {
    [Symbol.asyncDispose]: async () => {
      await storing[Symbol.asyncDispose]()
      await authenticator.storeKeyUse()
    },
  }
}
