import { join } from 'node:path'
import { rm } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import { pino, type Logger } from 'pino'
import { hashSecret } from '../kit/ids.ts'
import type { BrowserBinary } from './browsers/find.ts'
import { openBrowserHost, type BrowserHost } from './browsers/host.ts'
import { describeLayers } from './browsers/layers.ts'
import { openBrowserPool, type BrowserPool } from './browsers/pool.ts'
import { createPeers } from './cluster/peers.ts'
import { browserSearchEnvironment, parseConfig, type ServerConfig, type ServerOptions } from './config.ts'
import { openEgress, type Egress } from './egress/egress.ts'
import type { Resolve } from './egress/resolve.ts'
import { Shelves } from './files/shelves.ts'
import { Gateway } from './gateway/gateway.ts'
import { judgeCommand } from './gateway/policy.ts'
import { buildHttpApp } from './http/app.ts'
import { createAuthenticator } from './http/auth.ts'
import { createMetrics } from './http/metrics.ts'
import { LiveViews } from './live/live-views.ts'
import { openScrapes } from './scrape/open-scrapes.ts'
import type { Scrapes } from './scrape/scrapes.ts'
import { openMapper } from './map/mapper.ts'
import { readIdentity, writePrivate, type Identity } from './identity.ts'
import { sessionsThatFit } from './sessions/capacity.ts'
import { readProfileKey } from './profiles/profile-key.ts'
import { Profiles } from './profiles/profiles.ts'
import { startSweeping } from './profiles/sweep.ts'
import { startHeartbeat } from './sessions/heartbeat.ts'
import { endLostSessions } from './sessions/recovery.ts'
import { Sessions, type SessionParts } from './sessions/sessions.ts'
import { openBlobs, parseBlobPlace, type Blobs } from './store/blobs.ts'
import { findSession } from './store/sessions.ts'
import { ensureBootstrapKey } from './store/keys.ts'
import { listNodes, registerNode, removeNode } from './store/nodes.ts'
import { openStore } from './store/open.ts'
import type { Store } from './store/store.ts'
import { defaultPrices } from './usage/prices.ts'
import { packageVersion } from './version.ts'

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

const apiKeyUseMs = 30_000

/** Starts a server. Throws CONFIG_INVALID, DATA_DIR_IN_USE, STORE_FAILED, BROWSER_NOT_FOUND, BROWSER_START_FAILED. */
export const startServer = async (options: ServerOptions = {}): Promise<RunningServer> =>
  startConfigured(parseConfig(options))

/** Like `startServer`, with a configuration already checked. `resolve` finds the addresses of sites. Default: by the system. */
export const startConfigured = async (config: ServerConfig, resolve?: Resolve): Promise<RunningServer> => {
  await using undo = new AsyncDisposableStack()
  const log = pino({ level: config.logLevel, base: null }, pino.destination(2))
  const failed = Promise.withResolvers<Error>()
  const identity = await readIdentity(config.dataDir, config.apiKey)
  const store = undo.use(
    await openStore({ dataDir: config.dataDir, databaseUrl: config.databaseUrl, onFatal: failed.resolve, log }),
  )
  const host = undo.use(
    await openBrowserHost({
      dataDir: config.dataDir,
      choice: config.browser,
      isolation: config.isolation,
      environment: browserSearchEnvironment(),
    }),
  )
  const egress = undo.use(await openEgress({ ...config, resolve, log }))
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
  const parts = { ...ready, scrapes: openScrapes(undo, config, { ...ready, browserVersion: host.binary.version }) }
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

type Parts = SessionParts & { readonly metrics: ReturnType<typeof createMetrics> }

const prepareSessions = async (
  config: ServerConfig,
  ground: {
    store: Store
    browsers: BrowserPool
    profiles: Profiles
    host: BrowserHost
    identity: Identity
    log: Logger
  },
): Promise<Parts> => {
  const { store, browsers, profiles, host, identity, log } = ground
  await ensureBootstrapKey(store.db, {
    hash: hashSecret(identity.apiKey),
    prefix: identity.apiKey.slice(0, 7),
    teamName: 'default',
  })
  const metrics = createMetrics()
  return {
    store,
    browsers,
    profiles,
    metrics,
    prices: defaultPrices,
    nodeId: identity.nodeId,
    maxSessions: config.maxSessions ?? sessionsThatFit(host.binary.kind),
    onEnd: (row) => {
      metrics.sessionEnded(row)
      const { id, endReason, durationMs, creditsBilled } = row
      log.info({ sessionId: id, endReason, durationMs, creditsBilled }, 'session ended')
    },
    onError: (error, what) => log.error({ err: error }, what),
  }
}

const openConfiguredBlobs = async (config: ServerConfig): Promise<Blobs> => {
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey, s3SessionToken: sessionToken } = config
  const credentials =
    accessKeyId === undefined || secretAccessKey === undefined
      ? undefined
      : { accessKeyId, secretAccessKey, sessionToken }
  return openBlobs(parseBlobPlace(config.blobs ?? join(config.dataDir, 'blobs'), credentials))
}

/** Opens the profiles and sweeps what broken saves left among the blobs. */
const openProfiles = async (
  undo: AsyncDisposableStack,
  config: ServerConfig,
  { store, blobs, identity, log }: { store: Store; blobs: Blobs; identity: Identity; log: Logger },
): Promise<Profiles> => {
  const key = await readProfileKey({ configured: config.profileKey, dataDir: config.dataDir, store })
  const onError = (error: unknown, what: string): void => log.error({ err: error }, what)
  undo.use(startSweeping({ store, blobs, onError }))
  return new Profiles({
    store,
    blobs,
    key,
    nodeId: identity.nodeId,
    quotaBytes: config.profileQuota * 1e6,
    keepVersions: config.profileVersions,
    onError,
  })
}

/** Ends what a former run of this node left behind. */
const settlePast = async (parts: Parts, identity: Identity): Promise<number> => {
  const nodes = await listNodes(parts.store.db)
  const former = nodes.find((node) => node.id === identity.nodeId)
  const ended = await endLostSessions(parts, identity.nodeId, former?.heartbeatAt)
  for (const row of ended) parts.onEnd?.(row)
  return ended.length
}

interface OpenHttp {
  readonly app: FastifyInstance
  readonly sessions: Sessions
  /** What tells the store that this node lives: it stops after the sessions have ended. */
  readonly beating: AsyncDisposableStack
}

const openHttp = async (
  undo: AsyncDisposableStack,
  config: ServerConfig,
  parts: Parts & { readonly egress: Egress; readonly blobs: Blobs; readonly scrapes: Scrapes },
  host: BrowserHost,
  log: Logger,
): Promise<OpenHttp> => {
  const { store, browsers, metrics, egress, onError } = parts
  const shelves = new Shelves(config, onError)
  const sessions = new Sessions({ ...parts, onStart: shelves.open })
  const gateway = new Gateway(sessions, onError, shelves.clientLeft)
  const live = openLive(parts, sessions, gateway)
  const authenticator = createAuthenticator(store)
  metrics.watch({ sessions, browsers, gateway, live, egress })
  const mapper = undo.use(openMapper(parts))
  const app = await buildHttpApp({
    mapper,
    store,
    blobs: parts.blobs,
    scrapes: parts.scrapes,
    profiles: parts.profiles,
    states: { browsers, profiles: parts.profiles },
    browsers,
    sessions,
    gateway,
    live,
    shelves,
    authenticator,
    metrics,
    onError,
    nodeId: parts.nodeId,
    peers: createPeers(store, parts.nodeId),
    log,
    layers: describeLayers(host.layers),
    binary: host.binary,
    publicUrl: config.publicUrl,
    version: packageVersion,
  })
  const keyUse = setInterval(() => {
    authenticator.recordUse().catch((error: unknown) => onError(error, 'recording the use of keys'))
  }, apiKeyUseMs).unref()
  // Disposed last to first: sessions end while sockets can still say why, then the sockets go, then the listener.
  undo.defer(async () => app.close())
  undo.use(gateway)
  undo.use(live)
  undo.defer(async () => {
    clearInterval(keyUse)
    await authenticator.recordUse()
  })
  const beating = undo.use(new AsyncDisposableStack())
  undo.use(sessions)
  return { app, sessions, beating }
}

/** The live view learns from the gateway which page is driven, and asks it what a viewer may send. */
const openLive = ({ store, onError }: Parts, sessions: Sessions, gateway: Gateway): LiveViews =>
  new LiveViews({
    onError,
    stagePartsOf: (session) => {
      const focus = gateway.focusOf(session)
      const { downloadsDir, uploadsDir } = session.browser.folder.seen
      return {
        activePage: () => focus.page,
        openedPages: () => focus.opened,
        onActivePage: (listener) => focus.onChange(listener),
        refuse: (method, params) => {
          const verdict = judgeCommand({ id: 0, method, params }, { downloadsDir, uploadsDir })
          return verdict.kind === 'refuse' ? verdict.message : undefined
        },
      }
    },
    // Ending a session a second time only waits for its bill.
    billOf: async (session, reason) =>
      (await sessions.end(session.row.id, reason)) ?? findSession(store.db, session.row.id),
  })

/** Leaves word in the data directory, so that the CLI on this machine finds the server. */
const announce = async (undo: AsyncDisposableStack, config: ServerConfig, url: string): Promise<void> => {
  const path = join(config.dataDir, 'server.json')
  await writePrivate(path, `${JSON.stringify({ url, pid: process.pid })}\n`)
  undo.defer(async () => rm(path, { force: true }))
}
