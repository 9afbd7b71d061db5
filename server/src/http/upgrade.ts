import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { socketRoutes, type SocketRoute } from 'bowline/contract/server-routes'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { inSpan, runAs, runInSpan } from '../kit/current-work.ts'
import type { Tracer } from '../kit/span.ts'
import { runEvery } from '../kit/run-every.ts'
import { relayEndOf, relayEndsOf } from './relay-end.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Upgrade } from '../gateway/web-socket.ts'
import { relayUpgrade, type RelayedSocket } from '../cluster/relay-upgrade.ts'
import type { MetricRecorder } from '../metrics/metrics.ts'
import type { Viewers } from '../live/viewers.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { ClientOrigin } from './client-origin.ts'
import type { AccessChecks } from './access-checks.ts'
import { peerOf, type SessionNodeDeps } from './session-node.ts'
import type { DenialLog } from './audit-denials.ts'
import { findSocket, type RequestedSocket } from './find-socket.ts'
import { requireLiveSession } from './require-live-session.ts'
import { identify, originOf } from './request-origin.ts'
import { refuseSocket } from './refuse-socket.ts'
import { startRequestSpan } from './trace-requests.ts'
import type { Watchers } from './watch-job.ts'

/** Dependencies of WebSocket upgrades. */
export interface UpgradeDeps extends SessionNodeDeps {
  readonly sessions: Sessions
  readonly checks: AccessChecks
  readonly origin: ClientOrigin
  readonly gateway: Gateway
  readonly viewers: Viewers
  readonly watchers: Watchers
  readonly metrics: MetricRecorder
  /** Default: connections are not traced. */
  readonly tracer?: Tracer | undefined
  readonly logDenial: DenialLog
  readonly onError: (error: unknown, action: string) => void
}

/** Milliseconds in which clients of relayed connections are told why these close. */
const endTimeoutMs = 2000

/** Milliseconds between two checks whether the sessions of relayed connections have ended. */
const relayCheckMs = 5000

/** A WebSocket to a session of another server. */
interface SessionRelay {
  readonly sessionId: string
  readonly socket: RelayedSocket
}

/**
 * Returns whether a request asks for a WebSocket. Requests that offer other protocols get
 * their usual response: Java's HTTP client and `curl --http2` offer HTTP/2 with each request.
 */
export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  const protocols = headers.upgrade?.split(',') ?? []
  return protocols.some((protocol) => protocol.trim().toLowerCase() === 'websocket')
}

/**
 * Accepts WebSocket upgrades by their token. Rejected ones get the same HTTP error as a REST call.
 * Closing `app` closes the remaining sockets.
 */
export function registerUpgrades(app: FastifyInstance, deps: UpgradeDeps): void {
  const sockets = new Set<Socket>()
  const relayed = new Map<Socket, SessionRelay>()
  app.server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    // Node passes the socket of the connection. Its type allows other transports.
    const socket = stream as Socket
    const requestId = identify(request, deps)
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      relayed.delete(socket)
    })
    // Kept for the lifetime of the socket: a rejected client may still reset the connection, and an
    // unhandled error would crash the server.
    socket.on('error', () => void socket.destroy())
    const onRelay = (relay: SessionRelay): void => void (socket.destroyed || relayed.set(socket, relay))
    const work = { requestId, span: undefined }
    runAs(work, async () => open(deps, { request, socket, head }, onRelay)).catch((error: unknown) => {
      if (!isBowlineError(error)) deps.onError(error, 'WebSocket upgrade')
      const known = isBowlineError(error)
        ? error
        : new BowlineError('UNKNOWN_ERROR', 'The WebSocket could not be opened')
      refuseSocket(socket, known, requestId)
    })
  })
  const checks = runEvery(relayCheckMs, async () => closeEndedRelays(deps, [...relayed.values()]), {
    onError: (error) => deps.onError(error, 'checking the sessions of relayed connections'),
  })
  const { draining } = deps.sessions
  let ended: Promise<unknown> = Promise.resolve()
  draining.addEventListener('abort', () => {
    ended = Promise.all([...relayed.values()].map(async (relay) => endRelay(deps, relay)))
  })
  // `app.close()` waits for open sockets.
  app.addHook('preClose', async () => {
    await checks[Symbol.asyncDispose]()
    await Promise.race([ended, sleep(endTimeoutMs, undefined, { ref: false })])
    for (const socket of sockets) socket.destroy()
  })
}

/** Finds the route of an upgrade, and traces the time until its WebSocket is open. */
async function open(deps: UpgradeDeps, upgrade: Upgrade, onRelay: (relay: SessionRelay) => void): Promise<void> {
  const { request } = upgrade
  const url = URL.parse(request.url ?? '/', 'http://localhost')
  if (url === null) throw new BowlineError('BAD_REQUEST', 'Malformed WebSocket URL')
  const found = findSocket(url.pathname)
  const { path: route, sessionNode }: SocketRoute = socketRoutes[found.name]
  const session = sessionNode === undefined ? undefined : deps.sessions.find(found.id)?.traceparent
  const { requestId = '' } = originOf(request)
  const span = deps.tracer && startRequestSpan(deps.tracer, request, { route, requestId, session })
  const connectSocket = async (): Promise<void> => connect(deps, upgrade, { ...found, url, onRelay })
  try {
    await (span === undefined ? connectSocket() : runInSpan(span, connectSocket))
  } catch (error) {
    const isDenied = isBowlineError(error) && error.code === 'FORBIDDEN'
    if (isDenied) deps.logDenial({ from: originOf(request), keyId: undefined, method: 'GET', route })
    throw error
  }
}

async function connect(
  deps: UpgradeDeps,
  { request, socket, head }: Upgrade,
  {
    name,
    id,
    version,
    targetId,
    url,
    onRelay,
    ...path
  }: RequestedSocket & {
    readonly url: URL
    readonly onRelay: (relay: SessionRelay) => void
  },
): Promise<void> {
  const { checks, gateway, viewers, watchers, sessions } = deps
  const { sessionNode }: SocketRoute = socketRoutes[name]
  const peer = sessionNode === undefined ? undefined : await peerOf(deps, id, request)
  if (peer !== undefined) {
    const relay = { sessionId: id, socket: await relayUpgrade(peer, request, socket, head) }
    onRelay(relay)
    if (sessions.isDraining) await endRelay(deps, relay)
    return
  }
  const { authorization } = request.headers
  const token = path.token ?? url.searchParams.get('token') ?? undefined
  const credentials = { authorization, from: originOf(request), params: { id }, token }
  switch (name) {
    case 'cdp':
    case 'cdpWithPathToken':
    case 'cdpTarget':
    case 'cdpTargetWithPathToken': {
      return timeConnect(deps.metrics, async () => {
        const row = await checks[socketRoutes[name].auth](credentials)
        const session = await requireLiveSession(sessions, row)
        const address = { query: url.searchParams, targetId }
        await inSpan('cdp.connect', async () => gateway.connect(session, { request, socket, head }, address))
      })
    }
    case 'liveView': {
      const { row, kind } = await checks[socketRoutes[name].auth](credentials)
      return viewers.connect(await requireLiveSession(sessions, row), kind, { request, socket, head })
    }
    case 'watchBatch':
    case 'watchCrawl':
      return watchers.serve({ id, version }, { request, socket, head })
  }
  name satisfies never
}

/** Closes the relayed connections to sessions that their dead servers could not close. */
async function closeEndedRelays(deps: UpgradeDeps, relays: readonly SessionRelay[]): Promise<void> {
  const ends = await relayEndsOf(
    deps,
    relays.map(({ sessionId }) => sessionId),
  )
  for (const { sessionId, socket } of relays) {
    const end = ends.get(sessionId)
    if (end !== undefined) socket.close(end.code, end.reason)
  }
}

/** Closes a relayed connection, because this server shuts down. Never rejects. */
async function endRelay(deps: UpgradeDeps, { sessionId, socket }: SessionRelay): Promise<void> {
  const { code, reason } = await relayEndOf(deps, sessionId)
  socket.close(code, reason)
}

/** Connects a CDP client and records how long it took. */
async function timeConnect(metrics: MetricRecorder, connectClient: () => Promise<void>): Promise<void> {
  const startedMs = performance.now()
  const record = (outcome: 'success' | 'refused' | 'error'): void =>
    metrics.observe('bowline_cdp_connect_seconds', { outcome }, (performance.now() - startedMs) / 1000)
  try {
    await connectClient()
    record('success')
  } catch (error) {
    record(isBowlineError(error) && error.status < 500 ? 'refused' : 'error')
    throw error
  }
}
