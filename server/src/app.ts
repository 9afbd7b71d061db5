import { pino } from 'pino'
import { writeServerFile } from './app/write-server-file.ts'
import { checkPackages } from './app/check-packages.ts'
import { explainStartFailure } from './app/explain-start-failure.ts'
import { joinCluster } from './app/join-cluster.ts'
import { logIsolation } from './app/log-isolation.ts'
import { openHttp } from './app/open-http.ts'
import { openProfiles } from './app/open-profiles.ts'
import { openStorage } from './app/open-storage.ts'
import { openWork } from './app/open-work.ts'
import { prepareSessions } from './app/prepare-sessions.ts'
import { recoverSessions } from './app/recover-sessions.ts'
import type { BrowserBinary } from './browsers/find.ts'
import { openBrowserHost } from './browsers/host.ts'
import { describeIsolation, type IsolationLayers } from './browsers/isolation.ts'
import { openBrowserPool } from './browsers/pool.ts'
import { browserSearchEnvironment, parseConfig, type ServerConfig, type ServerOptions } from './config.ts'
import { openEgress } from './egress/egress.ts'
import type { Resolve } from './egress/resolve.ts'
import type { Store } from './store/store.ts'
import { openUsage } from './usage/open-usage.ts'

/** A server that answers. Disposing ends every session, bills it, and closes everything. */
export interface RunningServer extends AsyncDisposable {
  /** Address it listens on, without trailing slash. */
  readonly url: string
  /** The bootstrap key: an admin key of the team `default`. */
  readonly apiKey: string
  /** Whether the key was made by this start, so that it should be shown once. */
  readonly isNewKey: boolean
  /** Whether the key was revoked, so that the server refuses it. */
  readonly isKeyRevoked: boolean
  /** First characters of the former bootstrap keys that this start has retired. */
  readonly retiredKeys: readonly string[]
  readonly config: ServerConfig
  readonly browser: BrowserBinary
  readonly storeKind: Store['kind']
  readonly maxSessions: number
  /** What holds browsers apart on this machine, a line each. */
  readonly layers: ReturnType<typeof describeIsolation>
  /** How many sessions live on this server now. */
  readonly liveSessions: () => number
  /** Sessions that a former run left behind and that were ended and billed at this start. */
  readonly recovered: number
  /** Resolves with the error when the server can no longer work, such as a dead store. */
  readonly failed: Promise<Error>
}

/**
 * Starts a server in this process. `options` default to those of `bowline serve`: port 3900 on
 * 127.0.0.1 and the data directory `~/.bowline`. Environment variables are not read.
 *
 * Disposing of the server ends and bills all sessions, and closes everything. Throws
 * CONFIG_INVALID, DATA_DIR_IN_USE, STORE_FAILED, LISTEN_FAILED, BROWSER_NOT_FOUND and
 * BROWSER_START_FAILED.
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
export async function startServer(options: ServerOptions = {}): Promise<RunningServer> {
  return startConfigured(parseConfig(options))
}

/** What a program that starts servers may know better than the server itself. */
export interface KnownDeps {
  /** Finds the addresses of sites. Default: by the system. */
  readonly resolve?: Resolve | undefined
  /** The layers of isolation that hold here. Default: found out by starting a browser. */
  readonly layers?: IsolationLayers | undefined
  /** Aborting stops a start that is under way, and undoes what it has begun. */
  readonly signal?: AbortSignal | undefined
}

/** Like `startServer`, with a configuration already checked. */
export async function startConfigured(config: ServerConfig, known: KnownDeps = {}): Promise<RunningServer> {
  try {
    return await start(config, known)
  } catch (error) {
    throw explainStartFailure(error, config)
  }
}

async function start(config: ServerConfig, known: KnownDeps): Promise<RunningServer> {
  await using undo = new AsyncDisposableStack()
  const log = pino({ level: config.logLevel, base: null }, pino.destination(2))
  const failed = Promise.withResolvers<Error>()
  const started = Promise.withResolvers<void>()
  await checkPackages(config, log)
  const storage = await openStorage(undo, config, { log, onFatal: failed.resolve })
  const { identity, store, blobs } = storage
  known.signal?.throwIfAborted()
  const { dataDir, browser: choice, isolation } = config
  const environment = browserSearchEnvironment()
  const host = undo.use(await openBrowserHost({ dataDir, choice, isolation, environment, layers: known.layers }))
  known.signal?.throwIfAborted()
  logIsolation(log, host.layers)
  const egress = undo.use(await openEgress({ ...config, resolve: known.resolve, log }))
  const browsers = undo.use(
    openBrowserPool({ host, warm: config.warm, launchOptions: { openProxy: egress.openProxyEndpoint }, log }),
  )
  const profiles = await openProfiles(undo, config, { store, blobs, identity, log })
  const ready = {
    ...(await prepareSessions(config, { store, browsers, profiles, host, identity, log })),
    egress,
    blobs,
  }
  const usage = openUsage(undo, config, ready)
  const parts = {
    ...ready,
    ...usage,
    ...(await openWork(undo, config, { ...ready, ...usage, browserVersion: host.binary.version })),
  }
  known.signal?.throwIfAborted()
  const recovered = await recoverSessions(parts, identity)
  const { app, sessions, beating } = await openHttp(undo, config, { ...parts, whenStarted: started.promise }, host, log)
  const url = await app.listen({ host: config.host, port: config.port })
  const retiredKeys = await joinCluster(config, parts, { ...storage, url, sessions, beating, log })
  undo.use(egress.ownPorts.guard(Number(new URL(url).port || 80)))
  await writeServerFile(undo, config, url)
  // First of all: whoever asks while the rest is closed is turned away.
  undo.defer(() => sessions.startDraining())
  started.resolve()
  const opened = undo.move()
  return {
    url,
    apiKey: identity.apiKey,
    isNewKey: identity.isNewKey,
    isKeyRevoked: parts.bootstrapKey.revokedAt !== undefined,
    retiredKeys,
    config,
    browser: host.binary,
    storeKind: store.kind,
    maxSessions: parts.maxSessions,
    layers: describeIsolation(host.layers),
    liveSessions: () => sessions.load,
    recovered,
    failed: failed.promise,
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  }
}
