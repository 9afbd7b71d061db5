import { paths } from 'bowline/contract/paths'
import type { IncomingMessage } from 'node:http'
import { createSessionResponse, type CreateSessionRequest, type CreateSessionResponse } from 'bowline/contract/browser'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { Peer } from '../cluster/peers.ts'
import { internalPrefix } from '../cluster/peer-requests.ts'
import { requestPeer } from '../cluster/relay.ts'
import { UnclaimedSessions } from '../sessions/unclaimed-sessions.ts'
import { sessionUrls } from '../sessions/urls.ts'
import { isRelayed, isRelayedTo, peerOfRow, type SessionNodeDeps } from './session-node.ts'
import type { Call } from './register.ts'

/** Header of a relayed deletion: the client never received the response with this session. */
const undeliveredHeader = `${internalPrefix}undelivered`

/** Milliseconds a peer has to create a session: three attempts of 30 s to start its browser. */
const createMs = 100_000

/** Errors of a peer after which this node may create the session itself. */
const fallbackErrors: ReadonlySet<string> = new Set(['CONCURRENCY_LIMIT', 'DRAINING', 'NODE_UNREACHABLE'])

/**
 * Creates sessions on this or another node, and ends those whose client disconnected before the
 * response.
 */
export class SessionCreator {
  readonly #deps: SessionNodeDeps
  readonly #unclaimed: UnclaimedSessions

  constructor(deps: SessionNodeDeps) {
    this.#deps = deps
    this.#unclaimed = new UnclaimedSessions(({ row: { id } }) => {
      const error = 'The client closed the connection before it received the session'
      deps.sessions
        .end(id, 'deleted', { error, isUnclaimed: true })
        .catch((cause: unknown) => deps.onError(cause, `ending unclaimed session ${id}`))
    })
  }

  async create(body: CreateSessionRequest, call: Call): Promise<CreateSessionResponse> {
    const { sessions, nodeId } = this.#deps
    const disconnected = new AbortController()
    const delivered = call.delivered()
    void delivered.then((isDelivered) => isDelivered || disconnected.abort(clientDisconnected()))
    const elsewhere = await this.#createElsewhere(body, call, disconnected.signal)
    if (elsewhere !== undefined) return elsewhere
    disconnected.signal.throwIfAborted()
    const { key, idempotencyKey } = call
    const row = await sessions.create({ teamId: key.teamId, apiKeyId: key.id, request: body, idempotencyKey })
    // A request repeated with its idempotency key may return a session of another node, which must
    // be notified that the client has received it.
    const holder = row.nodeId === nodeId ? undefined : await peerOfRow(this.#deps, row, call.raw.raw)
    if (holder !== undefined) return this.#createOnPeer(holder, body, call, disconnected.signal)
    const session = sessions.find(row.id)
    if (session !== undefined) this.#unclaimed.watch(session, delivered)
    return { success: true, id: row.id, ...sessionUrls(call.baseUrl, row), expiresAt: row.expiresAt.toISOString() }
  }

  /**
   * Ends a session whose client never received the response, on behalf of the server that relayed
   * the request. Returns `false` for an ordinary deletion.
   */
  endUnclaimed(id: string, { raw: { raw } }: Call): boolean {
    const { sessions, nodeId } = this.#deps
    if (!isRelayedTo(raw, nodeId) || raw.headers[undeliveredHeader] === undefined) return false
    const session = sessions.find(id)
    if (session !== undefined) this.#unclaimed.markUndelivered(session)
    return true
  }

  /**
   * Creates the session on a node with clearly more capacity. Returns `undefined` if there is none
   * or none accepted.
   */
  async #createElsewhere(body: CreateSessionRequest, call: Call, signal: AbortSignal) {
    if (isRelayed(call.raw.raw)) return undefined
    const { sessions, peers } = this.#deps
    for (;;) {
      const { liveSessions: load, maxSessions: slots, isDraining } = sessions
      const peer = await peers.leastLoaded({ load, slots, isDraining })
      if (peer === undefined) return undefined
      try {
        return await this.#createOnPeer(peer, body, call, signal)
      } catch (error) {
        if (!isBowlineError(error) || !fallbackErrors.has(error.code)) throw error
        if (error.code !== 'NODE_UNREACHABLE') return undefined
        peers.avoid(peer.id)
        signal.throwIfAborted()
      }
    }
  }

  async #createOnPeer(peer: Peer, body: CreateSessionRequest, call: Call, signal: AbortSignal) {
    const { raw } = call.raw
    const answer = createSessionResponse.parse(
      await requestPeer(peer, raw, body, { responseTimeoutMs: createMs, signal }),
    )
    onAbort(signal, () => {
      endUnclaimedOn(peer, raw, answer.id).catch((error: unknown) =>
        this.#deps.onError(error, `ending unclaimed session ${answer.id}`),
      )
    })
    return answer
  }
}

async function endUnclaimedOn(peer: Peer, request: IncomingMessage, id: string): Promise<void> {
  const headers = { [undeliveredHeader]: 'true' }
  const { method, path } = paths.deleteSessionByBody
  await requestPeer(peer, request, { id }, { method, path, headers })
}

function onAbort(signal: AbortSignal, listener: () => void): void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener, { once: true })
}

function clientDisconnected(): BowlineError {
  return new BowlineError('ABORTED', 'The client closed the connection before the session was created', { status: 499 })
}
