import { pino } from 'pino'
import { announce } from './app/announce.ts'
import { openConfiguredBlobs } from './app/open-blobs.ts'
import { openHttp } from './app/open-http.ts'
import { openProfiles } from './app/open-profiles.ts'
import { openWork } from './app/open-work.ts'
import { prepareSessions } from './app/prepare-sessions.ts'
import { settlePast } from './app/settle-past.ts'
import type { BrowserBinary } from './browsers/find.ts'
import { openBrowserHost } from './browsers/host.ts'
import { describeLayers, type Layers } from './browsers/layers.ts'
import { openBrowserPool } from './browsers/pool.ts'
import { browserSearchEnvironment, parseConfig, type ServerConfig, type ServerOptions } from './config.ts'
import { openEgress } from './egress/egress.ts'
import type { Resolve } from './egress/resolve.ts'
import { readIdentity } from './identity.ts'
import { startHeartbeat } from './sessions/heartbeat.ts'
import { registerNode, removeNode } from './store/nodes.ts'
import { lockFolder } from './store/lock.ts'
import { openStore } from './store/open.ts'
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
  readonly config: ServerConfig
  readonly browser: BrowserBinary
  readonly storeKind: Store['kind']
  readonly maxSessions: number
  /** What holds browsers apart on this machine, a line each. */
  readonly layers: ReturnType<typeof describeLayers>
  /** How many sessions live on this server now. */
  readonly liveSessions: () => number
  /** Sessions that a former run left behind and that were ended and billed at this start. */
  readonly recovered: number
  /** Resolves with the error when the server can no longer work, such as a dead store. */
  readonly failed: Promise<Error>
}

/** Starts a server. Throws CONFIG_INVALID, DATA_DIR_IN_USE, STORE_FAILED, BROWSER_NOT_FOUND, BROWSER_START_FAILED. */
export const startServer = async (options: ServerOptions = {}): Promise<RunningServer> =>
  startConfigured(parseConfig(options))

/** What a program that starts servers may know better than the server itself. */
export interface KnownParts {
  /** Finds the addresses of sites. Default: by the system. */
  readonly resolve?: Resolve | undefined
  /** The layers of isolation that hold here. Default: found out by starting a browser. */
  readonly layers?: Layers | undefined
}

/** Like `startServer`, with a configuration already checked. */
export const startConfigured = async (config: ServerConfig, known: KnownParts = {}): Promise<RunningServer> => {
  await using undo = new AsyncDisposableStack()
  const log = pino({ level: config.logLevel, base: null }, pino.destination(2))
  const failed = Promise.withResolvers<Error>()
  // The directory names this node: a second server in it would take the sessions of the first for its own of a former run.
  // The embedded store has a lock of its own.
  if (config.databaseUrl !== undefined) undo.use(await lockFolder(config.dataDir))
  const identity = await readIdentity(config.dataDir, config.apiKey)
  const store = undo.use(await openStore({ ...config, onFatal: failed.resolve, log }))
  const host = undo.use(
    await openBrowserHost({
      dataDir: config.dataDir,
      choice: config.browser,
      isolation: config.isolation,
      environment: browserSearchEnvironment(),
      layers: known.layers,
    }),
  )
  const egress = undo.use(await openEgress({ ...config, resolve: known.resolve, log }))
  const browsers = undo.use(
    openBrowserPool({ host, warm: config.warm, launchOptions: { openProxy: egress.openLane }, log }),
  )
  const blobs = await openConfiguredBlobs(config)
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
  const recovered = await settlePast(parts, identity)
  const { app, sessions, beating } = await openHttp(undo, config, parts, host, log)
  const url = await app.listen({ host: config.host, port: config.port })
  const node = { ...parts, nodeUrl: config.nodeUrl ?? url }
  await registerNode(store.db, { id: identity.nodeId, url: node.nodeUrl, slots: parts.maxSessions })
  beating.defer(async () => removeNode(store.db, identity.nodeId))
  beating.use(startHeartbeat(node, sessions))
  undo.use(egress.ownPorts.guard(Number(new URL(url).port || 80)))
  await announce(undo, config, url)
  const opened = undo.move()
  return {
    url,
    apiKey: identity.apiKey,
    isNewKey: identity.isNewKey,
    config,
    browser: host.binary,
    storeKind: store.kind,
    maxSessions: parts.maxSessions,
    layers: describeLayers(host.layers),
    liveSessions: () => sessions.load,
    recovered,
    failed: failed.promise,
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  }
}
