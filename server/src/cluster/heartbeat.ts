import { runEvery } from '../kit/run-every.ts'
import { deadAfterSeconds, heartbeatMs } from '../nodes/node-liveness.ts'
import { recordHeartbeat, findDeadNodes, registerNode, removeNode } from '../nodes/node-queries.ts'
import { reinstateKey, retireBootstrapKeys } from '../teams/key-queries.ts'
import { activeSessionsOfNode, saveProgress, sessionsOfRevokedKeys } from '../sessions/session-queries.ts'
import { endStraySession } from '../sessions/end-stray-session.ts'
import type { SessionDeps } from '../sessions/session-deps.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createPeerTimeoutCheck, heartbeatGapMs } from './peer-timeout.ts'
import { cleanUpDeadNode } from './clean-up-dead-node.ts'

/** Dependencies of the heartbeat, and the properties of this node that it reports. */
export interface HeartbeatDeps extends Pick<
  SessionDeps,
  'store' | 'profiles' | 'prices' | 'webhooks' | 'nodeId' | 'maxSessions' | 'onEnd' | 'onError'
> {
  readonly nodeUrl: string
  readonly bootstrapKeyId: string
  /** Identifies the folder or bucket in which this node stores blobs. */
  readonly blobsId: string
  /** Called with bootstrap keys that were just retired. */
  readonly onRetired: (keys: RetiredKeys) => void
  /** Called after each heartbeat with its error, or undefined if it reached the store. */
  readonly onBeat: (error: unknown) => void
}

/** Nodes that stop leave bootstrap keys behind. Those of dead nodes are retired at once. */
const roundsPerRetirement = 12

/** Milliseconds for which the recovery of a dead node waits for a locked row. It is repeated. */
const lockTimeoutMs = 2000

type RetiredKeys = Awaited<ReturnType<typeof retireBootstrapKeys>>

/**
 * Registers this node in the store and retires the bootstrap keys that no node uses any more.
 * Returns those keys.
 */
export async function registerThisNode(deps: HeartbeatDeps): Promise<RetiredKeys> {
  const { store, nodeId: id, nodeUrl: url, maxSessions: slots, bootstrapKeyId, blobsId: blobs } = deps
  await registerNode(store.db, { id, url, slots, bootstrapKeyId, blobs })
  // Other nodes may have retired this node's key before it registered, or while it was unreachable.
  await reinstateKey(store.db, bootstrapKeyId)
  return retireBootstrapKeys(store.db)
}

/**
 * Starts the heartbeat of this node, which also reports that it drains. Every 5 s, it does the
 * following, each independently of the others, which may wait for locked rows:
 * - records that the node is alive,
 * - renews its profile leases,
 * - records how old its sessions are and when they were last used, ends those whose API key was
 * revoked on another node, and those stored for this node that never started, and every minute
 * retires bootstrap keys that no node uses any more,
 * - recovers nodes without a heartbeat, unless its own heartbeats have failed until just now.
 */
export function startHeartbeat(deps: HeartbeatDeps, sessions: Sessions): AsyncDisposable {
  const heartbeat = new Heartbeat(deps, sessions)
  const { onBeat, onError } = deps
  const every = (action: string, work: () => Promise<void>): AsyncDisposable =>
    runEvery(heartbeatMs, work, { onError: (error) => onError(error, action) })
  const loops = [
    runEvery(heartbeatMs, async () => heartbeat.beat().then(() => onBeat(undefined)), {
      onError: (error) => {
        onBeat(error)
        onError(error, 'heartbeat')
      },
    }),
    every('renewing profile leases', async () => deps.profiles.renewLeases()),
    every('recording the progress of sessions', async () => heartbeat.recordSessions()),
    every('recovering dead servers', async () => heartbeat.recoverDeadNodes()),
  ]
  return {
    [Symbol.asyncDispose]: async () => {
      await Promise.all(loops.map(async (loop) => loop[Symbol.asyncDispose]()))
    },
  }
}

class Heartbeat {
  readonly #deps: HeartbeatDeps
  readonly #sessions: Sessions
  readonly #canJudgePeers = createPeerTimeoutCheck(performance.now())
  #canJudgeSinceBeat = false
  #beatMs = -Infinity
  #rounds = 0

  constructor(deps: HeartbeatDeps, sessions: Sessions) {
    this.#deps = deps
    this.#sessions = sessions
    // At once, so that the others send it no more work.
    sessions.draining.addEventListener('abort', () => {
      this.#record().catch((error: unknown) => deps.onError(error, 'heartbeat'))
    })
  }

  /** Records that this node is alive. */
  async beat(): Promise<void> {
    const isKnown = await this.#record()
    this.#beatMs = performance.now()
    this.#canJudgeSinceBeat = this.#canJudgePeers(this.#beatMs)
    if (!isKnown) await this.#reRegister()
  }

  /** Records the progress of the sessions of this node, and ends those that must not go on. */
  async recordSessions(): Promise<void> {
    const { store, nodeId, onError, onRetired } = this.#deps
    const sessions = this.#sessions
    await saveProgress(
      store.db,
      sessions.list().map(({ row: { id, createdAt }, lastActivityAt, ageMs }) => ({
        id,
        lastActivityAt: new Date(lastActivityAt()),
        aliveUntil: new Date(createdAt.getTime() + ageMs()),
      })),
    )
    const revoked = sessions.liveSessionCount === 0 ? [] : await sessionsOfRevokedKeys(store.db, nodeId)
    for (const id of revoked) {
      sessions.end(id, 'revoked').catch((error: unknown) => onError(error, `ending session ${id} (revoked)`))
    }
    for (const row of await activeSessionsOfNode(store.db, nodeId)) {
      if (sessions.isStray(row)) await endStraySession(this.#deps, row)
    }
    if (this.#rounds++ % roundsPerRetirement === 0) onRetired(await retireBootstrapKeys(store.db))
  }

  /** Ends the work of nodes without a heartbeat, and removes them. */
  async recoverDeadNodes(): Promise<void> {
    if (!this.#canJudge) return
    const { store, nodeId, onError } = this.#deps
    for (const { id } of await findDeadNodes(store.db, deadAfterSeconds)) {
      // The database may have been unavailable until now.
      if (!this.#canJudge) return
      // Rows that are locked on account of one must not delay the others.
      if (id !== nodeId) await this.#recover(id).catch((error: unknown) => onError(error, `recovering server ${id}`))
    }
  }

  get #canJudge(): boolean {
    return this.#canJudgeSinceBeat && performance.now() - this.#beatMs < heartbeatGapMs
  }

  async #recover(deadId: string): Promise<void> {
    const { store, onEnd, onRetired } = this.#deps
    await cleanUpDeadNode({ ...this.#deps, lockTimeoutMs }, deadId, onEnd)
    await removeNode(store.db, deadId)
    onRetired(await retireBootstrapKeys(store.db))
  }

  async #record(): Promise<boolean> {
    const { liveSessionCount: live, isDraining: draining } = this.#sessions
    return recordHeartbeat(this.#deps.store.heartbeatDb, { id: this.#deps.nodeId, live, draining })
  }

  /**
   * Re-registers this node after others have declared it dead and billed its sessions. Also ends
   * those sessions here, without waiting: their bills may wait for locked rows.
   */
  async #reRegister(): Promise<void> {
    const { onError, onRetired } = this.#deps
    for (const { row } of this.#sessions.list()) {
      this.#sessions.end(row.id, 'lost').catch((error: unknown) => onError(error, `ending session ${row.id} (lost)`))
    }
    onRetired(await registerThisNode(this.#deps))
  }
}
