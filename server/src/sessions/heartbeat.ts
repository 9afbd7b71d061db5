import { recordHeartbeat, findDeadNodes, registerNode, removeNode } from '../store/nodes.ts'
import { reinstateKey, retireBootstrapKeys } from '../store/keys.ts'
import { activeSessionsOfNode, recordActivity, sessionsOfRevokedKeys } from '../store/sessions.ts'
import { isPeerTimedOut } from './peer-timeout.ts'
import { endLostSessions, endStraySession } from './recovery.ts'
import type { SessionDeps } from './session-deps.ts'
import type { Sessions } from './sessions.ts'

/** What the heartbeat tells of this node. */
export type HeartbeatDeps = SessionDeps & {
  readonly nodeUrl: string
  readonly bootstrapKeyId: string
  /** Identity of the folder or bucket in which this node stores blobs. */
  readonly blobsId: string
  /** Called with bootstrap keys that have just stopped working. */
  readonly onRetired: (keys: RetiredKeys) => void
  /** Called after each heartbeat with the error that it failed with; undefined: the store could be written to. */
  readonly onBeat: (error: unknown) => void
}

type RetiredKeys = Awaited<ReturnType<typeof retireBootstrapKeys>>

/** Registers this node with what others compare, and retires the bootstrap keys that no node is configured with any more. */
export async function enterNode(deps: HeartbeatDeps): Promise<RetiredKeys> {
  const { store, nodeId: id, nodeUrl: url, maxSessions: slots, bootstrapKeyId, blobsId: blobs } = deps
  await registerNode(store.db, { id, url, slots, bootstrapKeyId, blobs })
  // Between its start and its registration, or after a long silence, others may have retired the key of this node.
  await reinstateKey(store.db, bootstrapKeyId)
  return retireBootstrapKeys(store.db)
}

const beatMs = 5000

/** Seconds without a heartbeat after which a node counts as dead: six beats. */
const deadAfterSeconds = 30

/** The others took this node for dead and billed its sessions: they end here, too, and the node enters itself anew. */
async function reRegister(deps: HeartbeatDeps, sessions: Sessions): Promise<void> {
  await Promise.all(sessions.list().map(async (session) => sessions.end(session.row.id, 'lost')))
  deps.onRetired(await enterNode(deps))
}

/**
 * Tells the store every 5 s that this node lives, when each session was last used and which profiles it writes, and ends
 * the sessions of nodes that no longer say so, unless it could not say so itself just now. Ends the sessions whose key was
 * revoked on another node and those that the store has for this node and nobody got, and retires bootstrap keys that no node is configured with any more.
 */
export function startHeartbeat(deps: HeartbeatDeps, sessions: Sessions): AsyncDisposable {
  const written = new Map<string, number>()
  const isSilenceDeath = isPeerTimedOut(performance.now())
  const beat = async (): Promise<void> => {
    const { db } = deps.store
    const isKnown = await recordHeartbeat(db, { id: deps.nodeId, live: sessions.load, draining: sessions.isDraining })
    const mayJudge = isSilenceDeath(performance.now())
    if (!isKnown) await reRegister(deps, sessions)
    await deps.profiles.renewLeases()
    const live = sessions.list()
    const used = live.filter((session) => written.get(session.row.id) !== session.lastActivityAt())
    await recordActivity(
      db,
      used.map((session) => ({ id: session.row.id, lastActivityAt: new Date(session.lastActivityAt()) })),
    )
    written.clear()
    for (const session of live) written.set(session.row.id, session.lastActivityAt())
    for (const id of await sessionsOfRevokedKeys(db, deps.nodeId)) {
      sessions.end(id, 'revoked').catch((error: unknown) => deps.onError(error, `ending session ${id} (revoked)`))
    }
    for (const row of await activeSessionsOfNode(db, deps.nodeId)) {
      if (sessions.isStray(row)) await endStraySession(deps, row)
    }
    deps.onRetired(await retireBootstrapKeys(db))
    if (!mayJudge) return
    for (const node of await findDeadNodes(db, deadAfterSeconds)) {
      if (node.id === deps.nodeId) continue
      for (const row of await endLostSessions(deps, node.id, node.heartbeatAt)) deps.onEnd?.(row)
      await removeNode(db, node.id)
    }
  }
  let current = Promise.resolve()
  let isBeating = false
  const timer = setInterval(() => {
    if (isBeating) return
    isBeating = true
    current = beat()
      .then(
        () => deps.onBeat(undefined),
        (error: unknown) => {
          deps.onBeat(error)
          deps.onError(error, 'heartbeat')
        },
      )
      .finally(() => {
        isBeating = false
      })
  }, beatMs)
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await current
    },
  }
}
