import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isUuid } from 'bowline/kit/ids'
import { isBowlineError } from 'bowline/kit/errors'
import { relayHeader } from '../cluster/peer-requests.ts'
import { relayRequest } from '../cluster/relay.ts'
import type { Peer, Peers } from '../cluster/peers.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { findSession } from '../sessions/session-queries.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { Store } from '../store/store.ts'

/** Dependencies for finding the node of a session. */
export interface SessionNodeDeps {
  readonly store: Store
  readonly sessions: Sessions
  readonly peers: Peers
  readonly nodeId: string
  /** Reports errors of background work. */
  readonly onError: (error: unknown, action: string) => void
}

/**
 * Relays requests of routes that the node of a session handles to that node, before their body is
 * read.
 */
export function relaySessionRequests(app: FastifyInstance, deps: SessionNodeDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.sessionNode === undefined) return
    const { id = '' } = request.params as { readonly id?: string }
    try {
      const peer = await peerOf(deps, id, request.raw)
      if (peer !== undefined) await relayRequest(peer, request.raw, reply.raw, () => void reply.hijack())
    } catch (error) {
      const isUnreachable = isBowlineError(error) && error.code === 'NODE_UNREACHABLE'
      if (!isUnreachable || !(await canRespondFromStore(deps, id, request))) throw error
    }
  })
}

/**
 * Returns whether this node can respond from the store, although the session's node is unreachable:
 * the session is only read, or has ended.
 */
async function canRespondFromStore(
  { store }: SessionNodeDeps,
  id: string,
  { method, routeOptions, headers }: FastifyRequest,
): Promise<boolean> {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (hasBody || routeOptions.config.sessionNode !== 'preferred') return false
  return method === 'GET' || (await findSession(store.db, id))?.status !== 'active'
}

/**
 * Returns the node that runs a session, or `undefined` if it is this node, or the session is
 * unknown or has ended. Throws NODE_UNREACHABLE.
 */
export async function peerOf(deps: SessionNodeDeps, id: string, request: IncomingMessage): Promise<Peer | undefined> {
  if (deps.store.kind === 'pglite' || isRelayed(request) || !isUuid(id)) return undefined
  if (deps.sessions.find(id) !== undefined) return undefined
  const row = await findSession(deps.store.db, id)
  return row === undefined ? undefined : peerOfRow(deps, row, request)
}

/** Same as `peerOf`, for a session row that was already read. */
export async function peerOfRow(
  { peers, nodeId }: Pick<SessionNodeDeps, 'peers' | 'nodeId'>,
  row: SessionRow,
  request: IncomingMessage,
): Promise<Peer | undefined> {
  return row.status === 'active' && row.nodeId !== nodeId && !isRelayed(request) ? peers.find(row.nodeId) : undefined
}

/**
 * Returns whether another server relayed this request to this node. Only servers know each other's
 * ids.
 */
export function isRelayedTo(request: IncomingMessage, nodeId: string): boolean {
  return request.headers[relayHeader] === nodeId
}

/** Returns whether another server relayed this request. */
export function isRelayed(request: IncomingMessage): boolean {
  return request.headers[relayHeader] !== undefined
}
