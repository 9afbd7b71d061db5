import { paths } from 'bowline/contract/paths'
import type { IncomingMessage } from 'node:http'
import { createSessionResponse, type CreateSessionResponse } from 'bowline/contract/browser'
import type { CreateSessionRequest } from 'bowline/contract/session-options'
import type { QueueProgress } from 'bowline/contract/queue-progress'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { OwnLoad } from '../cluster/choose-peer.ts'
import type { Peer } from '../cluster/peers.ts'
import { bindToWork, inSpan } from '../kit/current-work.ts'
import { internalPrefix } from '../cluster/peer-requests.ts'
import { requestPeer } from '../cluster/relay.ts'
import { measureMachine } from '../nodes/machine-use.ts'
import { findLastNode } from '../profiles/lease-queries.ts'
import type { NewSession } from '../sessions/admit-session.ts'
import { limitedByOf } from '../sessions/concurrency-limit.ts'
import { drainingError } from '../sessions/draining-error.ts'
import { profileOutcome } from '../sessions/profile-outcome.ts'
import { labelsOf } from '../sessions/session-labels.ts'
import { isProfileLocked } from '../profiles/profile-locked.ts'
import { ProfileLines, type ProfileRequest } from '../sessions/profile-lines.ts'
import type { QueuedRequest } from '../sessions/queued-request.ts'
import type { MetricRecorder } from '../metrics/metrics.ts'
import type { SessionQueue } from '../sessions/session-queue.ts'
import { UnclaimedSessions } from '../sessions/unclaimed-sessions.ts'
import { sessionUrls } from '../sessions/urls.ts'
import { assertTtl } from './assert-ttl.ts'
import type { Authenticator } from './auth.ts'
import { isRelayed, isRelayedTo, peerOfRow, type SessionNodeDeps } from './session-node.ts'
import type { Call } from './register.ts'

/** Header of a relayed deletion: the client never received the response with this session. */
const undeliveredHeader = `${internalPrefix}undelivered`

/** Milliseconds a peer has to create a session: three attempts of 30 s to start its browser. */
const createMs = 100_000

/** Time that a draining server keeps for the response to a handed over request, in milliseconds. */
const drainReserveMs = 1000

/** Dependencies of `SessionCreator`. */
export interface SessionCreatorDeps extends SessionNodeDeps {
  readonly sessionQueue: SessionQueue
  /** Maximum lifetime of a session in seconds. */
  readonly maxTtlSeconds: number
  /** Milliseconds that requests have to finish once this server drains. */
  readonly drainTimeoutMs: number
  readonly authenticator: Pick<Authenticator, 'authenticate'>
  readonly metrics: MetricRecorder
}

/** One creation: its request, and the connection of its client. */
interface Creation {
  readonly body: CreateSessionRequest
  readonly call: Call
  readonly delivered: Promise<boolean>
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}

/**
 * Creates sessions on this or another node, and ends those whose client disconnected before the
 * response.
 */
export class SessionCreator {
  readonly #deps: SessionCreatorDeps
  readonly #profileLines: ProfileLines
  readonly #unclaimed: UnclaimedSessions

  constructor(deps: SessionCreatorDeps) {
    this.#deps = deps
    this.#profileLines = new ProfileLines({ store: deps.store, draining: deps.sessions.draining })
    this.#unclaimed = new UnclaimedSessions(({ row: { id } }) => {
      const error = 'The client closed the connection before it received the session'
      deps.sessions
        .end(id, 'deleted', { error, isUnclaimed: true })
        .catch((cause: unknown) => deps.onError(cause, `ending unclaimed session ${id}`))
    })
  }

  /**
   * Creates a session. If there is no slot, or another session writes its profile, waits for up to
   * `waitSeconds`.
   */
  async create(body: CreateSessionRequest, waitSeconds: number, call: Call): Promise<CreateSessionResponse> {
    const endMs = performance.now() + waitSeconds * 1000
    assertTtl(body.ttl, this.#deps.maxTtlSeconds)
    const disconnected = new AbortController()
    const delivered = call.delivered()
    void delivered.then((isDelivered) => isDelivered || disconnected.abort(clientDisconnected()))
    const creation = { body, call, delivered, signal: disconnected.signal }
    try {
      return await this.#createInSlot(creation, waitSeconds)
    } catch (error) {
      const { profile } = body
      if (waitSeconds === 0 || profile === undefined || !isProfileLocked(error)) throw error
      const request: ProfileRequest<CreateSessionResponse> = {
        teamId: call.key.teamId,
        name: profile.name,
        refusal: error,
        waitSeconds,
        waitMs: Math.max(0, Math.ceil(endMs - performance.now())),
        ...this.#waitingRequest(creation),
        isRepeated: async () => this.#deps.sessions.isRepeated(newSession(creation)),
        attempt: async (leftMs) => {
          await this.#assertAllowed(creation)
          return this.#createInSlot(creation, Math.max(0, leftMs / 1000))
        },
      }
      return inSpan('session.profile', async () => this.#profileLines.enter(request))
    }
  }

  /** Creates a session. If there is no slot, waits for up to `waitSeconds` in the queue. */
  async #createInSlot(creation: Creation, waitSeconds: number): Promise<CreateSessionResponse> {
    const { sessionQueue } = this.#deps
    try {
      return await this.#createInTurn(creation)
    } catch (error) {
      // A relayed request waits on the server that has relayed it, unless that one drains.
      const waitsElsewhere = isRelayed(creation.call.raw.raw) && waitSeconds === 0
      if (limitedByOf(error) === undefined || waitsElsewhere) throw error
      const request = this.#queuedRequest(creation, error as BowlineError, waitSeconds)
      try {
        if (waitSeconds === 0) throw sessionQueue.describe(request)
        // Awaited, so that a request that has waited in vain is counted.
        return await inSpan('session.queue', async () => sessionQueue.enter(request))
      } catch (refusal) {
        this.#countRefusal(refusal)
        throw refusal
      }
    }
  }

  #countRefusal(error: unknown): void {
    if (!isBowlineError(error) || error.code !== 'CONCURRENCY_LIMIT') return
    this.#deps.metrics.increment('bowline_session_start_failures_total', { reason: 'CONCURRENCY_LIMIT' })
  }

  /** Creates a session, unless other requests wait for the same slots. Their refusal is thrown. */
  async #createInTurn(creation: Creation): Promise<CreateSessionResponse> {
    const { sessions, sessionQueue } = this.#deps
    const { key } = creation.call
    const refusal = sessionQueue.refusalFor(key.teamId)
    if (refusal !== undefined && !(await sessions.isRepeated(newSession(creation)))) throw refusal
    return this.#createNow(creation)
  }

  #queuedRequest(creation: Creation, refusal: BowlineError, waitSeconds: number): QueuedRequest<CreateSessionResponse> {
    const { sessions } = this.#deps
    const { key, idempotencyKey } = creation.call
    const assertAllowed = async (): Promise<void> => this.#assertAllowed(creation)
    return {
      teamId: key.teamId,
      apiKeyId: key.id,
      idempotencyKey,
      refusal,
      waitMs: waitSeconds * 1000,
      ...this.#waitingRequest(creation),
      assertAllowed,
      // The queue calls it, for example when the session of another request has ended.
      attempt: bindToWork(async (onAdmitted: () => void) => {
        await assertAllowed()
        // Checked first, because the browser of a session with a profile starts before admission.
        if (!(await sessions.isRepeated(newSession(creation)))) await sessions.assertTeamHasSlot(key.teamId)
        return this.#createNow(creation, onAdmitted)
      }),
    }
  }

  #waitingRequest(creation: Creation) {
    const { signal, call } = creation
    return {
      signal,
      handOver: bindToWork(async (leftMs: number) => this.#handOver(creation, leftMs)),
      onProgress: call.events.isAccepted
        ? (progress: QueueProgress) => call.events.send('queued', progress)
        : undefined,
    }
  }

  /** Throws if the API key may no longer create sessions. */
  async #assertAllowed({ call }: Creation): Promise<void> {
    await this.#deps.authenticator.authenticate(call.raw.raw.headers.authorization, undefined)
  }

  /**
   * Creates the session of a waiting request on another server while this one drains. The request
   * waits there as long as its client can still get the response from here.
   */
  async #handOver(creation: Creation, leftMs: number): Promise<CreateSessionResponse> {
    const { peers, drainTimeoutMs } = this.#deps
    const { body, call, signal } = creation
    const endMs = performance.now() + Math.min(leftMs, drainTimeoutMs - drainReserveMs)
    // The server that has relayed a request chooses another one.
    if (isRelayed(call.raw.raw)) throw drainingError()
    while (performance.now() < endMs) {
      const peer = await peers.choose(this.#ownLoad(), { canWait: true })
      if (peer === undefined) break
      const waitSeconds = Math.floor((endMs - performance.now()) / 1000)
      try {
        return await this.#createOnPeer(peer, { body, call, signal, waitSeconds })
      } catch (error) {
        // A request that was aborted says nothing about the peer.
        signal.throwIfAborted()
        if (!isGone(error)) throw error
        peers.avoid(peer.id)
      }
    }
    throw drainingError(await peers.count().catch(() => undefined))
  }

  async #createNow(creation: Creation, onAdmitted?: () => void): Promise<CreateSessionResponse> {
    const { sessions, nodeId } = this.#deps
    const { call, delivered, signal } = creation
    const elsewhere = await this.#createElsewhere(creation)
    if (elsewhere !== undefined) return elsewhere
    signal.throwIfAborted()
    const row = await sessions.create({ ...newSession(creation), onAdmitted })
    // A request repeated with its idempotency key may return a session of another node, which must
    // be notified that the client has received it.
    const holder = row.nodeId === nodeId ? undefined : await peerOfRow(this.#deps, row, call.raw.raw)
    if (holder !== undefined) return this.#createOnPeer(holder, creation)
    const session = sessions.find(row.id)
    if (session !== undefined) this.#unclaimed.watch(session, delivered)
    return {
      success: true,
      id: row.id,
      ...labelsOf(row, (error) => this.#deps.onError(error, 'reading a session')),
      ...sessionUrls(call.baseUrl, row),
      ...profileOutcome(row),
      expiresAt: row.expiresAt.toISOString(),
    }
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
   * Creates the session on the node that has its profile, or has clearly more capacity. Returns
   * `undefined` if there is none or none accepted.
   */
  async #createElsewhere(creation: Creation) {
    const { body, call, signal } = creation
    if (isRelayed(call.raw.raw)) return undefined
    const { peers } = this.#deps
    const profileNodeId = await this.#nodeOfProfile(body, call)
    for (;;) {
      const peer = await peers.choose(this.#ownLoad(), { profileNodeId })
      if (peer === undefined) return undefined
      try {
        return await this.#createOnPeer(peer, creation)
      } catch (error) {
        signal.throwIfAborted()
        if (limitedByOf(error) !== undefined) return undefined
        if (!isGone(error)) throw error
        peers.avoid(peer.id)
      }
    }
  }

  /** Returns the node that may have the profile of a new session on its disk. */
  async #nodeOfProfile({ profile }: CreateSessionRequest, { key: { teamId } }: Call): Promise<string | undefined> {
    const { store } = this.#deps
    if (profile === undefined || store.kind === 'pglite') return undefined
    return findLastNode(store.db, { teamId, name: profile.name })
  }

  #ownLoad(): Omit<OwnLoad, 'id'> {
    const { liveSessionCount: live, maxSessions: slots, isDraining } = this.#deps.sessions
    return { live, slots, isDraining, ...measureMachine() }
  }

  /** Creates the session on a peer. By default, the request does not wait there for a slot. */
  async #createOnPeer(
    peer: Peer,
    { body, call, signal, waitSeconds = 0 }: Omit<Creation, 'delivered'> & { readonly waitSeconds?: number },
  ): Promise<CreateSessionResponse> {
    const { raw } = call.raw
    const path = `${paths.createSession.path}${waitSeconds === 0 ? '' : `?wait=${waitSeconds}`}`
    const responseTimeoutMs = createMs + waitSeconds * 1000
    // This node sends the events.
    const options = { path, headers: { accept: 'application/json' }, responseTimeoutMs, signal }
    const response = createSessionResponse.parse(await requestPeer(peer, raw, body, options))
    onAbort(signal, () => {
      endUnclaimedOn(peer, raw, response.id).catch((error: unknown) =>
        this.#deps.onError(error, `ending unclaimed session ${response.id}`),
      )
    })
    return response
  }
}

/** Whether a peer does not respond or drains, so that another one may create the session. */
function isGone(error: unknown): boolean {
  return isBowlineError(error) && (error.code === 'NODE_UNREACHABLE' || error.code === 'DRAINING')
}

function newSession({ body, call: { key, idempotencyKey } }: Creation): NewSession {
  return { teamId: key.teamId, apiKeyId: key.id, request: body, idempotencyKey }
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
