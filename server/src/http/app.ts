import type http from 'node:http'
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from 'fastify'
import { serializerCompiler } from 'fastify-type-provider-zod'
import type { SessionPrompts } from '../agent/session-prompts.ts'
import type { Artifacts } from '../artifacts/artifacts.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Billing } from '../billing/billing.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { Mapper } from '../map/mapper.ts'
import type { SearchAndScrapeDeps } from '../search/search-and-scrape.ts'
import type { Monitors } from '../monitors/monitors.ts'
import type { Store } from '../store/store.ts'
import type { Usage } from '../usage/open-usage.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { Authenticator } from './auth.ts'
import { createDenialLog } from './audit-denials.ts'
import { acceptJson } from './accept-json.ts'
import { authorizeRequests, type AccessOf } from './authorize.ts'
import { BodyMemory } from './body-memory.ts'
import { smallBodyBytes } from './body-sizes.ts'
import type { Certificate } from './certificate.ts'
import { trackRequests, type RequestDrain } from './draining.ts'
import { sendError } from './errors.ts'
import type { ClientOrigin } from './client-origin.ts'
import { identify } from './request-origin.ts'
import type { ResponseMemory } from './response-memory.ts'
import type { Tracer } from '../kit/span.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Readiness } from './readiness.ts'
import { recordRequests } from './record-requests.ts'
import { traceRequests } from './trace-requests.ts'
import type { BrowserHost } from '../browsers/host.ts'
import { describeIsolation } from '../browsers/isolation.ts'
import type { BrowserPool } from '../browsers/pool.ts'
import { registerOpenApi } from './openapi.ts'
import { relaySessionRequests } from './session-node.ts'
import type { SessionCreatorDeps } from './create-session.ts'
import { registerRoutes, type Call, type Handlers } from './register.ts'
import { guardBodies } from './guard-bodies.ts'
import { guardResponses } from './guard-responses.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import { auditLogHandlers } from './routes/audit-log.ts'
import { activityHandlers } from './routes/activity.ts'
import { teamJobHandlers } from './routes/jobs.ts'
import { balanceHandlers } from './routes/balance.ts'
import { batchHandlers } from './routes/batch.ts'
import { browserHandlers } from './routes/browser.ts'
import { extensionHandlers, registerExtensionUpload, type ExtensionRouteDeps } from './routes/extensions.ts'
import { crawlHandlers, type CrawlRouteDeps } from './routes/crawl.ts'
import { registerDiscovery } from './routes/discovery.ts'
import { registerDashboard } from './routes/dashboard.ts'
import { registerFiles } from './routes/files.ts'
import { registerHealth } from './routes/health.ts'
import { healthHistoryHandlers } from './routes/health-history.ts'
import { keyHandlers } from './routes/keys.ts'
import { recordingHandlers, registerRecordings } from './routes/recordings.ts'
import { parseHandlers, registerParse, type ParseRouteDeps } from './routes/parse.ts'
import { profileHandlers, type ProfileRouteDeps } from './routes/profiles.ts'
import { registerMetrics } from './routes/metrics.ts'
import { registerLive } from './routes/live.ts'
import { registerMcp, type McpRouteDeps } from './routes/mcp.ts'
import { executeHandlers } from './routes/execute.ts'
import { agentHandlers, type AgentRouteDeps } from './routes/agent.ts'
import { interactHandlers } from './routes/interact.ts'
import type { ScrapeInteractionDeps } from './scrape-interaction.ts'
import { handoffHandlers } from './routes/handoff.ts'
import { registerScrapeFiles, scrapeHandlers, type ScrapeRouteDeps } from './routes/scrape.ts'
import { mapHandlers } from './routes/map.ts'
import { registerMonitorMail } from './routes/monitor-mail.ts'
import { monitorHandlers } from './routes/monitors.ts'
import { teamHandlers } from './routes/teams.ts'
import { usageHandlers } from './routes/usage.ts'
import { webhookHandlers } from './routes/webhooks.ts'
import { extractHandlers, type ExtractRouteDeps } from './routes/extract.ts'
import { secretHandlers, type SecretRouteDeps } from './routes/secrets.ts'
import { searchHandlers } from './routes/search.ts'
import { idempotencyKeyOf } from './idempotency-key.ts'
import { refuseEncodedBodies } from './refuse-encoded-bodies.ts'
import { refuseUnknownRoutes, routeNotFound } from './unknown-routes.ts'
import { refuseMalformed } from './refuse-malformed.ts'
import { isWebSocketUpgrade, registerUpgrades, type UpgradeDeps } from './upgrade.ts'
import { validateWith } from './validate.ts'

/** Dependencies of the HTTP server and its routes. */
export interface HttpDeps
  extends
    ScrapeRouteDeps,
    CrawlRouteDeps,
    ExtractRouteDeps,
    AgentRouteDeps,
    SearchAndScrapeDeps,
    Omit<UpgradeDeps, 'logDenial' | 'tracer'>,
    SessionCreatorDeps,
    ProfileRouteDeps,
    ExtensionRouteDeps,
    SecretRouteDeps,
    ParseRouteDeps,
    Pick<ScrapeInteractionDeps, 'hasExecution'>,
    Usage {
  readonly store: Store
  readonly blobs: Blobs
  readonly billing: Billing
  readonly authenticator: Authenticator
  readonly artifacts: Artifacts
  readonly recordings: Recordings
  readonly mapper: Mapper
  readonly webhooks: Webhooks
  readonly monitors: Monitors
  readonly prompts: SessionPrompts
  readonly metrics: Metrics
  readonly browsers: BrowserPool
  readonly host: Pick<BrowserHost, 'binary' | 'boot' | 'isolation'>
  readonly readiness: Readiness
  readonly dataDir: string
  readonly audit: AuditLog
  /** The MCP endpoint and its settings. */
  readonly mcp: Pick<McpRouteDeps, 'host' | 'settings' | 'localUrl'>
  readonly origin: ClientOrigin
  readonly responses: ResponseMemory
  /** Serve HTTPS. Default: HTTP. */
  readonly certificate: Pick<Certificate, 'cert' | 'key'> | undefined
  readonly version: string
  /** Maximum number of open connections. Further ones are closed at once. */
  readonly maxConnections: number
  readonly log: FastifyBaseLogger
}

/**
 * Builds the HTTP server with every route. The caller starts listening, and stops the server with
 * `drain`. Without a `tracer`, requests are not traced.
 */
export async function buildHttpApp(
  deps: HttpDeps,
  tracer?: Tracer,
): Promise<{ readonly app: FastifyInstance; readonly drain: RequestDrain }> {
  const app: FastifyInstance = Fastify({
    // For routes outside the contract, which take small bodies or none.
    bodyLimit: smallBodyBytes,
    // A profile name has up to 128 characters, and percent-encoding needs up to 12 for each.
    routerOptions: { maxParamLength: 2000 },
    // Busy connections are closed by the drain.
    forceCloseConnections: 'idle',
    genReqId: (request) => identify(request, deps),
    // URLs contain tokens, so `recordRequests` logs the route pattern instead of the URL.
    logController: new LogController({ disableRequestLogging: true }),
    loggerInstance: deps.log,
    // Malformed URLs, which match no route.
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: refuseMalformed,
    ...listenerOptions(deps),
    // Otherwise Fastify loads the 110 modules of its own compilers, which are then replaced.
    schemaController: { compilersFactory: { buildValidator: replaced, buildSerializer: replaced } },
  })
  app.setValidatorCompiler(validateWith())
  app.setSerializerCompiler(serializerCompiler)
  app.setErrorHandler(sendError)
  app.setNotFoundHandler((request, reply) => sendError(routeNotFound(request), request, reply))
  guardBodies(app)
  guardResponses(app)
  traceRequests(app, tracer)
  recordRequests(app, deps.metrics)
  const drain = trackRequests(app, deps.sessions.draining, async () => deps.peers.count())
  const { store, sessions, peers, nodeId, artifacts, checks, checkRateLimit, onError } = deps
  relaySessionRequests(app, { store, sessions, peers, nodeId, onError })
  refuseUnknownRoutes(app)
  refuseEncodedBodies(app)
  const logDenial = createDenialLog(deps.audit)
  const accessOf = authorizeRequests(app, { checks, nodeId, checkRateLimit, logDenial })
  const bodies = new BodyMemory()
  acceptJson(app, { accessOf, bodies })
  await registerOpenApi(app, { version: deps.version, baseUrlOf: baseUrls(deps) })
  await registerServerRoutes(app, deps, accessOf)
  registerJson(app, deps, accessOf)
  await app.register(async (scope) => registerFiles(scope, { sessions, artifacts, accessOf }))
  const { extensions } = deps
  await app.register(async (scope) => registerExtensionUpload(scope, { extensions, accessOf }))
  const { billedScrapes } = deps
  await app.register(async (scope) =>
    registerParse(scope, {
      billedScrapes,
      uploads: deps.uploads,
      accessOf,
      baseUrlOf: baseUrls(deps),
      record: deps.activity.record,
      responses: deps.responses,
      bodies,
    }),
  )
  registerRecordings(app, { artifacts, accessOf })
  registerUpgrades(app, upgradeDeps(deps, { logDenial, tracer }))
  app.server.maxConnections = deps.maxConnections
  return { app, drain }
}

/** Selects what WebSocket upgrades use. */
function upgradeDeps(deps: HttpDeps, { logDenial, tracer }: Pick<UpgradeDeps, 'logDenial' | 'tracer'>): UpgradeDeps {
  const { store, sessions, peers, nodeId, checks, origin, gateway, viewers, watchers, metrics, onError } = deps
  return {
    store,
    sessions,
    peers,
    nodeId,
    checks,
    origin,
    gateway,
    viewers,
    watchers,
    metrics,
    tracer,
    logDenial,
    onError,
  }
}

/** Milliseconds in which clients must complete the TLS handshake. */
const handshakeTimeout = 30_000

/** Options of the HTTP or HTTPS server. */
function listenerOptions({ certificate }: Pick<HttpDeps, 'certificate'>): { readonly http: http.ServerOptions } {
  const options = { shouldUpgradeCallback: isWebSocketUpgrade }
  if (certificate === undefined) return { http: options }
  const { cert, key } = certificate
  // The types of an application depend on its server, which differs in nothing that its routes use.
  return { https: { ...options, cert, key, handshakeTimeout } } as object as { http: http.ServerOptions }
}

/** Placeholder until the compiler of the contract's schemas is set. */
function replaced(): never {
  throw new Error('No compiler for schemas is set')
}

/** Registers the routes outside the API. */
async function registerServerRoutes(app: FastifyInstance, deps: HttpDeps, accessOf: AccessOf): Promise<void> {
  const { store, browsers, sessions, scrapes, dataDir, version, blobs, metrics, readiness } = deps
  const { binary, boot } = deps.host
  const isolation = describeIsolation(deps.host.isolation)
  registerHealth(app, { readiness, isolation, binary, accessOf })
  registerMetrics(app, { metrics, readiness, store, isolation, dataDir, blobs, boot, browsers, sessions, scrapes })
  await app.register(async (scope) => registerDashboard(scope, { version }))
  registerLive(app, { sessions, accessOf })
  const baseUrlOf = baseUrls(deps)
  registerDiscovery(app, { sessions, accessOf, baseUrlOf })
  registerScrapeFiles(app, { blobs, accessOf })
  const { nodeId, peers, authenticator } = deps
  registerMcp(app, { accessOf, baseUrlOf, nodeId, peers, authenticator, draining: sessions.draining, ...deps.mcp })
  await app.register(async (scope) => registerMonitorMail(scope, { store, accessOf }))
}

/** Returns the function that finds the URL of the server for a request. */
function baseUrls({ origin }: Pick<HttpDeps, 'origin'>): (request: FastifyRequest) => string {
  return ({ raw }) => origin.baseUrlOf(raw)
}

/** Registers the JSON routes of the API. */
function registerJson(app: FastifyInstance, deps: HttpDeps, accessOf: AccessOf): void {
  const callOf = (request: FastifyRequest): Omit<Call, 'delivered' | 'events'> => {
    return {
      key: accessOf(request, 'key'),
      apiVersion: request.routeOptions.config.apiVersion ?? 'v2',
      baseUrl: deps.origin.baseUrlOf(request.raw),
      idempotencyKey: idempotencyKeyOf(request),
      raw: request,
    }
  }
  const handlers = handlersOf(deps)
  registerRoutes(app, handlers, { callOf, record: deps.activity.record, responses: deps.responses })
}

/** Creates the handlers of the JSON routes, each topic with only what it uses. */
function handlersOf(deps: HttpDeps): Handlers {
  const { store, sessions, sessionQueue, peers, nodeId, authenticator, billing, maxTtlSeconds, onError } = deps
  const { audit } = deps
  const { hasExecution, jobs, scrapes, billedScrapes, languageModel, webhooks } = deps
  const browser = browserHandlers({
    store,
    sessions,
    sessionQueue,
    peers,
    nodeId,
    authenticator,
    maxTtlSeconds,
    drainTimeoutMs: deps.drainTimeoutMs,
    metrics: deps.metrics,
    onError,
    audit,
  })
  const interactionDeps = {
    store,
    sessions,
    peers,
    nodeId,
    onError,
    gateway: deps.gateway,
    maxTtlSeconds,
    hasExecution,
  }
  return {
    ...browser,
    ...interactHandlers({ ...interactionDeps, scrapes, prompts: deps.prompts }, browser.deleteSession),
    ...agentHandlers({ store, agents: deps.agents }),
    ...executeHandlers({ store, sessions, gateway: deps.gateway }),
    ...handoffHandlers({ store, sessions }),
    ...keyHandlers({ store, sessions, sessionQueue, agents: deps.agents, authenticator, audit }),
    ...profileHandlers({ profiles: deps.profiles, states: deps.states, audit }),
    ...extensionHandlers({ extensions: deps.extensions }),
    ...secretHandlers({ secrets: deps.secrets, audit }),
    ...recordingHandlers({ store, recordings: deps.recordings }),
    ...mapHandlers({ mapper: deps.mapper }),
    ...batchHandlers({ jobs, scrapes }),
    ...crawlHandlers({ jobs, scrapes, languageModel }),
    ...scrapeHandlers({ scrapes, billedScrapes, store, sessions, peers, nodeId, onError }),
    ...parseHandlers({ uploads: deps.uploads }),
    ...webhookHandlers({ store, webhooks, audit }),
    ...searchHandlers({ searches: deps.searches, scrapes, billedScrapes }),
    ...monitorHandlers({ store, monitors: deps.monitors, onError }),
    ...healthHistoryHandlers({ store }),
    ...teamHandlers({ store, authenticator, billing, audit }),
    ...usageHandlers({ store, billing }),
    ...balanceHandlers({ store }),
    ...activityHandlers({ activity: deps.activity }),
    ...teamJobHandlers({ store, jobs }),
    ...auditLogHandlers({ store, audit }),
    ...extractHandlers({ store, extracts: deps.extracts }),
  }
}
