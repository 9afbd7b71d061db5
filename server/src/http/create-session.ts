import type { IncomingMessage } from 'node:http'
import { createSessionResponse, type CreateSessionRequest, type CreateSessionResponse } from 'bowline/contract/browser'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { Peer } from '../cluster/peers.ts'
import { askPeer } from '../cluster/relay.ts'
import { Deliveries } from '../sessions/deliveries.ts'
import { sessionUrls } from '../sessions/urls.ts'
import { isHop, isHopTo, peerOfRow, type PlacementDeps } from './placement.ts'
import type { Call } from './register.ts'

/** Creates sessions, on this node or another, and ends those whose client had left before the answer. */
export interface SessionCreator {
  readonly create: (body: CreateSessionRequest, call: Call) => Promise<CreateSessionResponse>
  /**
   * Takes another server's word that its client never got the answer with this session. False when the request does not
   * say so: then it is an ordinary deletion.
   */
  readonly revoke: (id: string, call: Call) => boolean
}

/** Marks the deletion of a session whose answer did not get beyond the server that had asked for it. */
const undeliveredHeader = 'x-bowline-undelivered'

/** Milliseconds that a peer gets to create a session: three tries of 30 s to start its browser. */
const createMs = 100_000

/** Errors of a peer after which this node may still take the session itself. */
const passing: ReadonlySet<string> = new Set(['CONCURRENCY_LIMIT', 'DRAINING', 'NODE_UNREACHABLE'])

/** Makes the creator of a node's sessions. */
export function createSessionCreator(deps: PlacementDeps): SessionCreator {
  const { sessions, peers, nodeId, onError } = deps
  const deliveries = new Deliveries(({ row: { id } }) => {
    const error = 'The client closed its connection before it got the session'
    sessions
      .end(id, 'deleted', { error, isUnclaimed: true })
      .catch((cause: unknown) => onError(cause, `ending unclaimed session ${id}`))
  })

  const askForOne = async (peer: Peer, body: CreateSessionRequest, call: Call, gone: AbortSignal) => {
    const { raw } = call.raw
    const answer = createSessionResponse.parse(await askPeer(peer, raw, body, { answerMs: createMs, signal: gone }))
    onAbort(gone, () => {
      revokeAt(peer, raw, answer.id).catch((error: unknown) => onError(error, `ending unclaimed session ${answer.id}`))
    })
    return answer
  }

  /** Hands the creation to a clearly freer node. Undefined when there is none, or when none would have it. */
  const createElsewhere = async (body: CreateSessionRequest, call: Call, gone: AbortSignal) => {
    if (isHop(call.raw.raw)) return undefined
    for (;;) {
      const { load, maxSessions: slots, isDraining } = sessions
      const peer = await peers.freest({ load, slots, isDraining })
      if (peer === undefined) return undefined
      try {
        return await askForOne(peer, body, call, gone)
      } catch (error) {
        if (!isBowlineError(error) || !passing.has(error.code)) throw error
        if (error.code !== 'NODE_UNREACHABLE') return undefined
        peers.avoid(peer.id)
        gone.throwIfAborted()
      }
    }
  }

  const create: SessionCreator['create'] = async (body, call) => {
    const left = new AbortController()
    const delivered = call.delivered()
    void delivered.then((isDelivered) => isDelivered || left.abort(clientLeft()))
    const elsewhere = await createElsewhere(body, call, left.signal)
    if (elsewhere !== undefined) return elsewhere
    left.signal.throwIfAborted()
    const { key, idempotencyKey } = call
    const row = await sessions.create({ teamId: key.teamId, apiKeyId: key.id, request: body, idempotencyKey })
    // A repeated request may name a session of another node, which must learn that it is claimed.
    const holder = row.nodeId === nodeId ? undefined : await peerOfRow(deps, row, call.raw.raw)
    if (holder !== undefined) return askForOne(holder, body, call, left.signal)
    const session = sessions.find(row.id)
    if (session !== undefined) deliveries.watch(session, delivered)
    return { success: true, id: row.id, ...sessionUrls(call.baseUrl, row), expiresAt: row.expiresAt.toISOString() }
  }

  return {
    create,
    revoke: (id, { raw: { raw } }) => {
      if (!isHopTo(raw, nodeId) || raw.headers[undeliveredHeader] === undefined) return false
      const session = sessions.find(id)
      if (session !== undefined) deliveries.revoke(session)
      return true
    },
  }
}

async function revokeAt(peer: Peer, request: IncomingMessage, id: string): Promise<void> {
  const headers = { [undeliveredHeader]: 'true' }
  await askPeer(peer, request, { id }, { method: 'DELETE', path: '/v2/browser', headers })
}

function onAbort(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}

function clientLeft(): BowlineError {
  return new BowlineError('ABORTED', 'The client closed its connection before the session was created', { status: 499 })
}
