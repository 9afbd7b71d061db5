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
import { Watchers } from '../http/watch.ts'
import type { Focus } from '../recordings/video-recorder.ts'
import type { LiveSession } from '../sessions/live-session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Blobs } from '../store/blobs.ts'
import type { Usage } from '../usage/open-usage.ts'
import { packageVersion } from '../version.ts'
import { openLive } from './open-live.ts'
import { openSessions } from './open-sessions.ts'
import type { Work } from './open-work.ts'
import type { Parts } from './prepare-sessions.ts'

const apiKeyUseMs = 30_000

/** The part of the server that clients reach. */
export interface OpenHttp {
  readonly app: FastifyInstance
  readonly sessions: Sessions
  /** What tells the store that this node lives: it stops after the sessions have ended. */
  readonly beating: AsyncDisposableStack
}

interface HttpMeans {
  readonly egress: Egress
  readonly blobs: Blobs
  /** Resolves once nothing can stop the start any more. */
  readonly whenStarted: Promise<void>
}

/** Builds the sessions and every way to them, into `undo`; the caller lets the HTTP server listen. */
export async function openHttp(
  undo: AsyncDisposableStack,
  config: ServerConfig,
  deps: Parts & Work & Usage & HttpMeans,
  host: BrowserHost,
  log: Logger,
): Promise<OpenHttp> {
  const { store, browsers, metrics, egress, onError } = deps
  const focusOf = (session: LiveSession): Focus => gateway.focusOf(session)
  const { sessions, ...left } = openSessions(undo, config, { ...deps, focusOf })
  const { sessionFileStore } = left
  const gateway = new Gateway(sessions, onError, sessionFileStore.clientLeft)
  const live = openLive(deps, sessions, gateway)
  const authenticator = createAuthenticator(store)
  metrics.watch({ sessions, browsers, gateway, live, egress })
  const watchers = new Watchers({ jobs: deps.jobs, authenticator, publicUrl: config.publicUrl, onError })
  const { app, drain } = await buildHttpApp({
    ...deps,
    watchers,
    states: { sessions, profiles: deps.profiles },
    sessions,
    gateway,
    live,
    ...left,
    authenticator,
    dataDir: config.dataDir,
    metricsToken: config.metricsToken,
    peers: createPeers(store, deps.nodeId),
    log,
    isolation: describeIsolation(host.layers),
    binary: host.binary,
    publicUrl: config.publicUrl,
    maxConnections: config.maxConnections,
    version: packageVersion,
  })
  // Disposed last to first: sessions end while sockets can still say why, and requests under way are answered; then the
  // sockets go, then the listener.
  undo.defer(drain.close)
  undo.use(watchers)
  undo.use(gateway)
  undo.use(live)
  undo.use(startRecordingUse(authenticator, onError))
  const beating = undo.use(new AsyncDisposableStack())
  undo.defer(async () => void (await Promise.all([sessions.drain(), drain.settle(config.drainTimeout * 1000)])))
  return { app, sessions, beating }
}

/** Writes down now and then which keys were used, and once more at the end. */
function startRecordingUse(authenticator: Authenticator, onError: Parts['onError']): AsyncDisposable {
  const timer = setInterval(() => {
    authenticator.recordUse().catch((error: unknown) => onError(error, 'recording the use of keys'))
  }, apiKeyUseMs).unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await authenticator.recordUse()
    },
  }
}
