import { runEvery } from '../kit/run-every.ts'
import { deadAfterSeconds, heartbeatMs } from '../nodes/node-liveness.ts'
import { recordHeartbeat, findDeadNodes, registerNode, removeNode } from '../nodes/node-queries.ts'
import { reinstateKey, retireBootstrapKeys } from '../teams/key-queries.ts'
import { activeSessionsOfNode, saveProgress, sessionsOfRevokedKeys } from '../sessions/session-queries.ts'
import { endStraySession } from '../sessions/end-stray-session.ts'
import type { SessionDeps } from '../sessions/session-deps.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { createPeerTimeoutCheck } from './peer-timeout.ts'
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
const beatsPerRetirement = 12

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
 * Re-registers this node after others have declared it dead and billed its sessions. Also ends
 * those sessions here.
 */
async function reRegister(deps: HeartbeatDeps, sessions: Sessions): Promise<void> {
  await Promise.all(sessions.list().map(async (session) => sessions.end(session.row.id, 'lost')))
  deps.onRetired(await registerThisNode(deps))
}

/**
 * Starts the heartbeat of this node, which also reports that it drains. Every 5 s it does the
 * following:
 * - records that the node is alive, how old its sessions are and when they were last used, and
 * renews its profile leases,
 * - ends sessions whose API key was revoked on another node, and sessions stored for this node that
 * never started,
 * - every minute, retires bootstrap keys that no node uses any more,
 * - recovers nodes without a heartbeat, unless its own heartbeats have failed until just now.
 */
export function startHeartbeat(deps: HeartbeatDeps, sessions: Sessions): AsyncDisposable {
  const canJudgePeers = createPeerTimeoutCheck(performance.now())
  let beats = 0
  const { db } = deps.store
  const record = async (): Promise<boolean> =>
    recordHeartbeat(db, { id: deps.nodeId, live: sessions.liveSessionCount, draining: sessions.isDraining })
  // At once, so that the others send it no more work.
  sessions.draining.addEventListener('abort', () => {
    record().catch((error: unknown) => deps.onError(error, 'heartbeat'))
  })
  const sendHeartbeat = async (): Promise<void> => {
    const isKnown = await record()
    const canJudge = canJudgePeers(performance.now())
    if (!isKnown) await reRegister(deps, sessions)
    await deps.profiles.renewLeases()
    await saveProgress(
      db,
      sessions.list().map(({ row: { id, createdAt }, lastActivityAt, ageMs }) => ({
        id,
        lastActivityAt: new Date(lastActivityAt()),
        aliveUntil: new Date(createdAt.getTime() + ageMs()),
      })),
    )
    const revoked = sessions.liveSessionCount === 0 ? [] : await sessionsOfRevokedKeys(db, deps.nodeId)
    for (const id of revoked) {
      sessions.end(id, 'revoked').catch((error: unknown) => deps.onError(error, `ending session ${id} (revoked)`))
    }
    for (const row of await activeSessionsOfNode(db, deps.nodeId)) {
      if (sessions.isStray(row)) await endStraySession(deps, row)
    }
    if (beats++ % beatsPerRetirement === 0) deps.onRetired(await retireBootstrapKeys(db))
    if (!canJudge) return
    for (const node of await findDeadNodes(db, deadAfterSeconds)) {
      if (node.id === deps.nodeId) continue
      for (const row of await cleanUpDeadNode(deps, node.id)) deps.onEnd(row)
      await removeNode(db, node.id)
      deps.onRetired(await retireBootstrapKeys(db))
    }
  }
  return runEvery(heartbeatMs, async () => sendHeartbeat().then(() => deps.onBeat(undefined)), {
    onError: (error) => {
      deps.onBeat(error)
      deps.onError(error, 'heartbeat')
    },
  })
}
