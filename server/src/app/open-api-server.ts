import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Agents } from '../agent/agents.ts'
import { openAgents } from '../agent/open-agents.ts'
import { SessionPrompts } from '../agent/session-prompts.ts'
import { ParseUploads } from '../scrape/uploads/parse-uploads.ts'
import type { BrowserHost } from '../browsers/host.ts'
import { createPeers } from '../cluster/peers.ts'
import type { ServerConfig } from '../config.ts'
import type { Egress } from '../egress/egress.ts'
import { Gateway } from '../gateway/gateway.ts'
import { buildHttpApp, type HttpDeps } from '../http/app.ts'
import { readComponents } from '../http/component-metrics.ts'
import { createAccessChecks } from '../http/access-checks.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { createAuthenticator, type Authenticator } from '../http/auth.ts'
import { ClientOrigin } from '../http/client-origin.ts'
import { MessageMemory } from '../kit/message-memory.ts'
import { ResponseMemory } from '../http/response-memory.ts'
import { createAuthFailureLog, type AuthFailureLog } from '../http/auth-failures.ts'
import { Readiness } from '../http/readiness.ts'
import { Watchers } from '../http/watch-job.ts'
import { Viewers } from '../live/viewers.ts'
import { runEvery } from '../kit/run-every.ts'
import { McpHost } from '../mcp/mcp-host.ts'
import type { Secrets } from '../secrets/secrets.ts'
import { findSession } from '../sessions/session-queries.ts'
import { SessionQueue, type SessionQueueDeps } from '../sessions/session-queue.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Usage } from '../usage/open-usage.ts'
import { packageVersion } from '../version.ts'
import { openHttps, type Https } from './open-https.ts'
import { openSessions, type OpenSessions, type SessionSettings } from './open-sessions.ts'
import type { Services } from './open-services.ts'
import { startHealthRecorder } from './start-health-recorder.ts'
import type { SharedDeps } from './shared-deps.ts'

const apiKeyUseMs = 30_000

/** The HTTP server and the sessions behind it. */
export interface ApiServer {
  readonly app: FastifyInstance
  readonly sessions: Sessions
  /** URL of the plain HTTP listener of an HTTPS server, for programs of this machine. */
  readonly localUrl: string | undefined
  /** Stack of the heartbeat. It is disposed after the sessions have ended. */
  readonly heartbeatResources: AsyncDisposableStack
}

/** Settings of the HTTP server. */
export type ApiServerSettings = Pick<
  ServerConfig,
  | 'dataDir'
  | 'warm'
  | 'publicUrl'
  | 'trustedProxies'
  | 'tlsCert'
  | 'tlsKey'
  | 'metricsToken'
  | 'maxConnections'
  | 'maxTtl'
  | 'execution'
  | 'drainTimeout'
  | 'resumeSeconds'
  | 'mcpTools'
  | 'mcpDomains'
  | 'maxMcpTeams'
>

interface ApiServerDeps {
  readonly shared: SharedDeps
  readonly secrets: Secrets
  readonly blobs: Blobs
  readonly egress: Egress
  readonly host: BrowserHost
  readonly usage: Usage
  readonly audit: AuditLog
  readonly services: Services
  /** Resolves once the start can no longer fail. */
  readonly whenStarted: Promise<void>
  readonly log: Logger
}

/**
 * Builds the sessions, the gateway, the live view and the HTTP application. `resources` closes
 * them. The caller calls `listen`.
 */
export async function openApiServer(
  resources: AsyncDisposableStack,
  settings: { readonly api: ApiServerSettings; readonly sessions: SessionSettings },
  deps: ApiServerDeps,
): Promise<ApiServer> {
  const { shared, secrets, blobs, egress, services, audit, log } = deps
  const { store, billing, browsers, metrics, onError } = shared
  const { drainTimeout } = settings.api
  const origin = new ClientOrigin(settings.api)
  const opened = openSessions(resources, settings.sessions, shared, {
    blobs,
    webhooks: services.sessionWebhooks,
    isolation: deps.host.isolation,
    secrets,
  })
  const { sessions } = opened
  const sessionQueue = resources.use(createSessionQueue(shared, sessions))
  const authenticator = createAuthenticator(store, logFailuresTo(audit))
  const sockets = createSockets(deps, { sessions, authenticator, origin, resumeSeconds: settings.api.resumeSeconds })
  const { gateway, viewers, watchers } = sockets
  const { scrapes } = services
  readComponents(metrics, { sessions, sessionQueue, browsers, scrapes, gateway, viewers, egress, store })
  void resources.use(startHealthRecorder(shared, sessions, sessionQueue)).record()
  const mcpHost = new McpHost({ onError, maxProcesses: settings.api.maxMcpTeams })
  const agents = await openAgents(resources, {
    store,
    queues: services.queues,
    webhooks: services.webhooks,
    scrapes: services.scrapes,
    searches: services.searches,
    languageModel: services.languageModel,
    schemas: services.schemas,
    prices: shared.prices,
    billing,
    sessions,
    gateway,
    mcpHost,
    maxTtlSeconds: settings.api.maxTtl,
    onError,
  })
  const https = await openHttps(settings.api, { egress, log })
  const { app, drain } = await buildHttpApp(
    httpDeps(settings.api, deps, opened, { sockets, authenticator, sessionQueue, mcpHost, agents, https, origin }),
    shared.tracer,
  )
  await https.start(resources, app.server)
  // Disposed last to first. Sessions end while sockets can still send the reason and requests in
  // flight can finish. Then the sockets close, then the listener.
  resources.defer(drain.close)
  resources.use(watchers)
  resources.use(gateway)
  resources.use(viewers)
  resources.use(startStoringKeyUse(authenticator, onError))
  const heartbeatResources = resources.use(new AsyncDisposableStack())
  // Tools call this server until the requests of MCP clients are finished.
  resources.use(mcpHost)
  const finishRequests = async (): Promise<void> => drain.waitForPending(drainTimeout * 1000)
  resources.defer(async () => void (await Promise.all([sessions.drain(), finishRequests(), handOverTasks(deps)])))
  return { app, sessions, localUrl: https.localUrl(), heartbeatResources }
}

/**
 * Gives tasks to other servers. In the embedded store, they continue while requests are pending.
 */
async function handOverTasks({ shared: { store }, services: { queues } }: ApiServerDeps): Promise<void> {
  if (store.kind === 'postgres') await queues.handOver()
}

/** Creates the queue of sessions, which records how long requests have waited. */
function createSessionQueue({ billing, metrics, onError }: SharedDeps, sessions: Sessions): SessionQueue {
  const onLeave: SessionQueueDeps['onLeave'] = (outcome, seconds) =>
    metrics.observe('bowline_session_queue_wait_seconds', { outcome }, seconds)
  return new SessionQueue({ sessions, billing, onLeave, onError })
}

/** Dependencies of the routes that are opened here. */
interface RequestDeps {
  readonly sockets: Sockets
  readonly authenticator: Authenticator
  readonly sessionQueue: SessionQueue
  readonly mcpHost: McpHost
  readonly agents: Agents
  readonly https: Https
  readonly origin: ClientOrigin
}

interface Sockets {
  readonly gateway: Gateway
  readonly viewers: Viewers
  readonly watchers: Watchers
  /** Counts responses that watchers and other clients have not read. */
  readonly responses: ResponseMemory
}

/** Creates the parts that serve the sockets of drivers, viewers and watchers of jobs. */
function createSockets(
  { shared: { store, onError }, services: { jobs } }: ApiServerDeps,
  {
    sessions,
    authenticator,
    origin,
    resumeSeconds,
  }: Pick<RequestDeps, 'authenticator' | 'origin'> & {
    readonly sessions: Sessions
    readonly resumeSeconds: number
  },
): Sockets {
  const baseUrlOf = origin.baseUrlOf.bind(origin)
  const responses = new ResponseMemory()
  const messages = new MessageMemory()
  return {
    responses,
    gateway: new Gateway({ sessions, resumeSeconds, baseUrlOf, messages, onError }),
    viewers: new Viewers({
      // A second call to `end` only waits for the bill of the first.
      billedRow: async (id, reason) => (await sessions.end(id, reason)) ?? findSession(store.db, id),
      messages,
      onError,
    }),
    watchers: new Watchers({ jobs, authenticator, origin, responses, onError }),
  }
}

/** Selects what the HTTP application and its routes use. */
function httpDeps(
  settings: ApiServerSettings,
  { shared, secrets, blobs, host, usage, audit, services, whenStarted, log }: ApiServerDeps,
  { sessions, artifacts, recordings }: OpenSessions,
  { sockets, authenticator, sessionQueue, mcpHost, agents, https, origin }: RequestDeps,
): HttpDeps {
  const { store, billing, browsers, profiles, extensions, metrics, nodeId, onError } = shared
  const { scrapes, billedScrapes, searches, mapper, extracts, monitors, webhooks, jobs, languageModel } = services
  return {
    store,
    blobs,
    billing,
    browsers,
    profiles,
    extensions,
    secrets,
    states: { sessions, profiles },
    metrics,
    nodeId,
    readiness: createReadiness(settings, { shared, sessions, whenStarted }),
    onError,
    scrapes,
    billedScrapes,
    uploads: new ParseUploads({ store, blobs }),
    searches,
    mapper,
    extracts,
    agents,
    monitors,
    webhooks,
    jobs,
    languageModel,
    prompts: new SessionPrompts({ sessions, gateway: sockets.gateway, mcpHost, languageModel }),
    activity: usage.activity,
    audit,
    checkRateLimit: usage.checkRateLimit,
    sessions,
    sessionQueue,
    artifacts,
    recordings,
    gateway: sockets.gateway,
    viewers: sockets.viewers,
    watchers: sockets.watchers,
    responses: sockets.responses,
    authenticator,
    checks: createAccessChecks({ store, authenticator, metricsToken: settings.metricsToken }),
    dataDir: settings.dataDir,
    origin,
    certificate: https.certificate,
    maxConnections: settings.maxConnections,
    maxTtlSeconds: settings.maxTtl,
    drainTimeoutMs: settings.drainTimeout * 1000,
    hasExecution: settings.execution === 'on',
    mcp: { host: mcpHost, settings: mcpSettings(settings), localUrl: https.localUrl },
    peers: createPeers(store, nodeId),
    host,
    version: packageVersion,
    log,
  }
}

function createReadiness(
  { dataDir, warm }: ApiServerSettings,
  { shared, sessions, whenStarted }: Pick<ApiServerDeps, 'shared' | 'whenStarted'> & Pick<OpenSessions, 'sessions'>,
): Readiness {
  const { store, browsers, writes } = shared
  return new Readiness({ store, browsers, sessions, dataDir, warm, writes, whenStarted })
}

function mcpSettings({ mcpTools, mcpDomains, maxTtl }: ApiServerSettings): HttpDeps['mcp']['settings'] {
  return {
    readOnly: mcpTools === 'read',
    allowedDomains: mcpDomains.length === 0 ? undefined : mcpDomains,
    maxTtlSeconds: maxTtl,
  }
}

/** Records failed authentication in the audit log, in the background. */
function logFailuresTo(audit: AuditLog): AuthFailureLog {
  return createAuthFailureLog(({ address, requestId, failures, unlogged }) => {
    void audit.record({
      action: 'auth.failed',
      message: 'Authentication failed',
      by: { address, requestId },
      details: { failures, unlogged },
    })
  })
}

/** Stores when keys were last used: every 30 s, and once on disposal. */
function startStoringKeyUse(authenticator: Authenticator, onError: SharedDeps['onError']): AsyncDisposable {
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
