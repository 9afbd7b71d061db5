import { pino } from 'pino'
import { writeServerFile } from './app/write-server-file.ts'
import { ensureBootstrapKey } from './app/ensure-bootstrap-key.ts'
import { checkPackages } from './app/check-packages.ts'
import { explainStartFailure } from './app/explain-start-failure.ts'
import { joinCluster } from './app/join-cluster.ts'
import { logIsolation } from './app/log-isolation.ts'
import { openApiServer } from './app/open-api-server.ts'
import { openProfiles } from './app/open-profiles.ts'
import { openStorage } from './app/open-storage.ts'
import { openServices } from './app/open-services.ts'
import { collectAppDeps } from './app/collect-app-deps.ts'
import { endLeftoverSessions } from './app/end-leftover-sessions.ts'
import type { BrowserBinary } from './browsers/find.ts'
import { openBrowserHost, type BrowserHost } from './browsers/host.ts'
import { describeIsolation, type IsolationLayers } from './browsers/isolation.ts'
import { openBrowserPool } from './browsers/pool.ts'
import { browserSearchEnvironment, parseConfig, type ServerConfig, type ServerOptions } from './config.ts'
import { openEgress, type EgressOptions } from './egress/egress.ts'
import type { Resolve } from './egress/resolve.ts'
import type { Store } from './store/store.ts'
import { openUsage } from './usage/open-usage.ts'

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

/** Like `startServer`, with a configuration that is already validated. */
export async function startConfigured(config: ServerConfig, overrides: StartOverrides = {}): Promise<RunningServer> {
  try {
    return await start(config, overrides)
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
async function start(config: ServerConfig, overrides: StartOverrides): Promise<RunningServer> {
  await using resources = new AsyncDisposableStack()
  const log = pino({ level: config.logLevel, base: null }, pino.destination(2))
  const failed = Promise.withResolvers<Error>()
  const started = Promise.withResolvers<void>()
  await checkPackages(config, log)
  const { identity, store, blobs, blobsId } = await openStorage(resources, config, { log, onFatal: failed.resolve })
  overrides.signal?.throwIfAborted()
  const host = resources.use(await openHost(config, overrides))
  overrides.signal?.throwIfAborted()
  logIsolation(log, host.isolation)
  const egress = resources.use(await openEgress(egressOptions(config, overrides, log)))
  const browsers = resources.use(
    openBrowserPool({ host, warm: config.warm, launchOptions: { openProxyEndpoint: egress.openProxyEndpoint }, log }),
  )
  const profiles = await openProfiles(resources, config, { store, blobs, identity, log })
  const bootstrapKey = await ensureBootstrapKey(store, identity, log)
  const sharedDeps = {
    ...collectAppDeps(config, { bootstrapKey, store, browsers, profiles, host, identity, log }),
    egress,
    blobs,
  }
  const usage = openUsage(resources, config, sharedDeps)
  const deps = {
    ...sharedDeps,
    ...usage,
    ...(await openServices(resources, config, { ...sharedDeps, ...usage, browserVersion: host.binary.version })),
  }
  overrides.signal?.throwIfAborted()
  const recovered = await endLeftoverSessions(deps, identity)
  const httpDeps = { ...deps, whenStarted: started.promise }
  const { app, sessions, heartbeatResources } = await openApiServer(resources, config, httpDeps, host, log)
  const url = await app.listen({ host: config.host, port: config.port })
  const retiredKeys = await joinCluster(config, deps, { url, blobsId, sessions, heartbeatResources, log })
  resources.use(egress.ownPorts.block(Number(new URL(url).port || 80)))
  await writeServerFile(resources, config, url)
  // Disposed first: new requests are refused while the rest closes.
  resources.defer(() => sessions.startDraining())
  started.resolve()
  const opened = resources.move()
  return {
    url,
    apiKey: identity.apiKey,
    isNewKey: identity.isNewKey,
    isKeyRevoked: bootstrapKey.revokedAt !== undefined,
    retiredKeys,
    config,
    browser: host.binary,
    storeKind: store.kind,
    maxSessions: deps.maxSessions,
    layers: describeIsolation(host.isolation),
    liveSessions: () => sessions.liveSessions,
    recovered,
    failed: failed.promise,
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  }
}

async function openHost(
  { dataDir, browser: choice, isolation: isolationMode }: ServerConfig,
  { isolation }: StartOverrides,
): Promise<BrowserHost> {
  return openBrowserHost({ dataDir, choice, isolationMode, isolation, environment: browserSearchEnvironment() })
}

function egressOptions(
  { allow, proxyBasic, proxyEnhanced, databaseUrl }: ServerConfig,
  { resolve }: StartOverrides,
  log: EgressOptions['log'],
): EgressOptions {
  return { allow, proxyBasic, proxyEnhanced, databaseUrl, resolve, log }
}
