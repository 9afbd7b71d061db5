import type { Logger } from 'pino'
import { writeServerFile } from './app/write-server-file.ts'
import { AuditLog } from './audit/audit-log.ts'
import { ensureBootstrapKey } from './app/ensure-bootstrap-key.ts'
import { checkPackages } from './app/check-packages.ts'
import { createLog } from './app/create-log.ts'
import { explainStartFailure } from './app/explain-start-failure.ts'
import { logRunningJobs } from './app/log-running-jobs.ts'
import { joinCluster } from './app/join-cluster.ts'
import { openApiServer } from './app/open-api-server.ts'
import { openProfiles } from './app/open-profiles.ts'
import { openBrowsers } from './app/open-browsers.ts'
import { openConfiguredBlobs } from './app/open-blobs.ts'
import { openStorage } from './app/open-storage.ts'
import { openServices } from './app/open-services.ts'
import { Secrets } from './secrets/secrets.ts'
import { collectSharedDeps } from './app/shared-deps.ts'
import { partSettings } from './app/part-settings.ts'
import { startReencrypting } from './app/start-reencrypting.ts'
import { endLeftoverSessions } from './app/end-leftover-sessions.ts'
import { SlowStartLog } from './app/slow-start-log.ts'
import type { BrowserBinary } from './browsers/find.ts'
import { describeIsolation, type IsolationLayers } from './browsers/isolation.ts'
import { parseConfig, type ServerConfig, type ServerOptions } from './config.ts'
import type { Resolve } from './egress/resolve.ts'
import type { Store } from './store/store.ts'
import { startRetention } from './retention/retention.ts'
import { Metrics } from './metrics/metrics.ts'
import { openTracing } from './tracing/open-tracing.ts'
import { openUsage } from './usage/open-usage.ts'
import { packageVersion } from './version.ts'

/** A running server. Disposing it ends and bills every session, then closes everything. */
export interface RunningServer extends AsyncDisposable {
  /** URL it listens on, without a trailing slash. */
  readonly url: string
  /** The bootstrap key: an admin key of the team `default`. */
  readonly apiKey: string
  /** Whether this start created the key, so that it should be shown once. */
  readonly isNewKey: boolean
  /** Whether the key is revoked and requests with it are refused. */
  readonly isKeyRevoked: boolean
  /** Prefixes of former bootstrap keys that this start retired. */
  readonly retiredKeys: readonly string[]
  readonly config: ServerConfig
  readonly browser: BrowserBinary
  readonly storeKind: Store['kind']
  readonly maxSessions: number
  /** Isolation of browsers on this machine, one entry per layer. */
  readonly layers: ReturnType<typeof describeIsolation>
  /** Number of live sessions on this server. */
  readonly liveSessions: () => number
  /** Number of sessions a previous run left behind and this start ended and billed. */
  readonly recovered: number
  /** Resolves with the error when the server can no longer work, such as after the store failed. */
  readonly failed: Promise<Error>
}

/**
 * Starts a server in this process. `options` default to those of `bowline serve`: port 3900 on
 * 127.0.0.1 and the data directory `~/.bowline`. Environment variables are not read. Aborting
 * `signal` cancels the start, undoes what it has done and throws the signal's reason.
 *
 * Disposing of the server ends and bills all sessions, and closes everything. Throws
 * CONFIG_INVALID, PACKAGE_MISSING, DATA_DIR_IN_USE, DATA_DIR_UNUSABLE, STORE_FAILED, LISTEN_FAILED,
 * BROWSER_NOT_FOUND, BROWSER_START_FAILED or ISOLATION_MISSING.
 *
 * @example
 * ```ts
 * import { Bowline } from 'bowline'
 * import { startServer } from 'bowline-server'
 *
 * await using server = await startServer({ port: 0, dataDir: 'data', warm: 1, logLevel: 'warn' })
 * const bowline = new Bowline({ baseUrl: server.url, apiKey: server.apiKey })
 * console.log(server.url, await bowline.concurrency())
 * ```
 */
export async function startServer(
  options: ServerOptions = {},
  { signal }: Pick<StartOverrides, 'signal'> = {},
): Promise<RunningServer> {
  return startConfigured(parseConfig(options), { signal })
}

/** Overrides for programs that start servers themselves, such as tests. */
export interface StartOverrides {
  /** Resolves host names. Default: the system resolver. */
  readonly resolve?: Resolve | undefined
  /** Isolation of browsers that was already probed. Default: probed by starting a browser. */
  readonly isolation?: IsolationLayers | undefined
  /** Aborting cancels the start and undoes what it has done. */
  readonly signal?: AbortSignal | undefined
}

interface StartLogs {
  readonly log: Logger
  readonly slowStart: SlowStartLog
}

/** Like `startServer`, with a configuration that is already validated. */
export async function startConfigured(config: ServerConfig, overrides: StartOverrides = {}): Promise<RunningServer> {
  const log = createLog(config.logLevel)
  using slowStart = new SlowStartLog(log, 'opening the database, or creating it')
  try {
    return await start(config, overrides, { log, slowStart })
  } catch (error) {
    throw explainStartFailure(error, config)
  }
}

/**
 * Opens all parts in order. The stack disposes of them in reverse order:
 *
 * 1. refuse new work
 * 2. end the sessions and wait for pending requests
 * 3. stop the heartbeat
 * 4. close live views, the gateway and watchers
 * 5. close the listener
 * 6. close services
 * 7. close the store
 */
async function start(config: ServerConfig, overrides: StartOverrides, logs: StartLogs): Promise<RunningServer> {
  const { log, slowStart } = logs
  await using resources = new AsyncDisposableStack()
  const settings = partSettings(config)
  const metrics = new Metrics(packageVersion)
  const failed = Promise.withResolvers<Error>()
  const started = Promise.withResolvers<void>()
  await checkPackages(settings.features, log)
  const { identity, store } = await openStorage(resources, settings.storage, { log, onFatal: failed.resolve })
  const { nodeId } = identity
  const tracer = await openTracing(resources, settings.tracing, { nodeId, log })
  const { blobs, blobsId } = await openConfiguredBlobs(settings.blobs, { store, nodeId })
  overrides.signal?.throwIfAborted()
  slowStart.begin('starting browsers')
  const { host, egress, browsers } = await openBrowsers(resources, settings, overrides, { metrics, log })
  slowStart.begin('starting services')
  const { profiles, key } = await openProfiles(resources, settings.profiles, { store, blobs, nodeId, log })
  const secrets = new Secrets({ store, key })
  const bootstrapKey = await ensureBootstrapKey(store, identity.apiKey, log)
  const opened = { store, blobs, browsers, profiles, host, nodeId, metrics, tracer, log }
  const shared = collectSharedDeps(settings.shared, opened)
  const usage = openUsage(resources, settings.usage, { store, onError: shared.onError })
  const audit = resources.use(new AuditLog({ store, log, keepDays: config.auditDays, onError: shared.onError }))
  resources.use(startRetention({ store, blobs, retentionDays: config.retentionDays, onError: shared.onError }))
  const services = await openServices(resources, settings.services, { shared, blobs, egress, host })
  await logRunningJobs(store, log)
  overrides.signal?.throwIfAborted()
  const recovered = await endLeftoverSessions(shared, services.sessionWebhooks)
  const { app, sessions, localUrl, heartbeatResources } = await openApiServer(
    resources,
    { api: settings.api, sessions: settings.sessions },
    { shared, secrets, blobs, egress, host, usage, audit, services, whenStarted: started.promise, log },
  )
  const url = await app.listen({ host: config.host, port: config.port })
  const nodeUrl = config.nodeUrl ?? url
  const node = { nodeUrl, bootstrapKeyId: bootstrapKey.id, blobsId, sessions, services, heartbeatResources, audit }
  const retiredKeys = await joinCluster(shared, node)
  resources.use(egress.ownPorts.block(Number(new URL(url).port || 80)))
  await writeServerFile(resources, config.dataDir, localUrl ?? url)
  resources.use(startReencrypting({ store, blobs, secrets, key, audit, log }))
  // Disposed first: new requests are refused while the rest closes.
  resources.defer(() => sessions.startDraining())
  started.resolve()
  const running = resources.move()
  return {
    url,
    apiKey: identity.apiKey,
    isNewKey: identity.isNewKey,
    isKeyRevoked: bootstrapKey.revokedAt !== undefined,
    retiredKeys,
    config,
    browser: host.binary,
    storeKind: store.kind,
    maxSessions: shared.maxSessions,
    layers: describeIsolation(host.isolation),
    liveSessions: () => sessions.liveSessionCount,
    recovered,
    failed: failed.promise,
    [Symbol.asyncDispose]: async () => running.disposeAsync(),
  }
}
