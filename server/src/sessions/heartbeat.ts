import { beatNode, findDeadNodes, registerNode, removeNode } from '../store/nodes.ts'
import { reinstateKey, retireBootstrapKeys } from '../store/keys.ts'
import { activeSessionsOfNode, recordActivity, sessionsOfRevokedKeys } from '../store/sessions.ts'
import { judgeSilence } from './judge-silence.ts'
import { endLostSessions, endStraySession } from './recovery.ts'
import type { SessionParts } from './session-parts.ts'
import type { Sessions } from './sessions.ts'

/** What the heartbeat tells of this node. */
export type HeartbeatParts = SessionParts & {
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
export async function enterNode(parts: HeartbeatParts): Promise<RetiredKeys> {
  const { store, nodeId: id, nodeUrl: url, maxSessions: slots, bootstrapKeyId, blobsId: blobs } = parts
  await registerNode(store.db, { id, url, slots, bootstrapKeyId, blobs })
  // Between its start and its registration, or after a long silence, others may have retired the key of this node.
  await reinstateKey(store.db, bootstrapKeyId)
  return retireBootstrapKeys(store.db)
}

const beatMs = 5000

/** Seconds without a heartbeat after which a node counts as dead: six beats. */
const deadAfterSeconds = 30

/** The others took this node for dead and billed its sessions: they end here, too, and the node enters itself anew. */
async function comeBack(parts: HeartbeatParts, sessions: Sessions): Promise<void> {
  await Promise.all(sessions.list().map(async (session) => sessions.end(session.row.id, 'lost')))
  parts.onRetired(await enterNode(parts))
}

/**
 * Tells the store every 5 s that this node lives, when each session was last used and which profiles it writes, and ends
 * the sessions of nodes that no longer say so, unless it could not say so itself just now. Ends the sessions whose key was
 * revoked on another node and those that the store has for this node and nobody got, and retires bootstrap keys that no node is configured with any more.
 */
export function startHeartbeat(parts: HeartbeatParts, sessions: Sessions): AsyncDisposable {
  const written = new Map<string, number>()
  const isSilenceDeath = judgeSilence(performance.now())
  const beat = async (): Promise<void> => {
    const { db } = parts.store
    const isKnown = await beatNode(db, { id: parts.nodeId, live: sessions.load, draining: sessions.isDraining })
    const mayJudge = isSilenceDeath(performance.now())
    if (!isKnown) await comeBack(parts, sessions)
    await parts.profiles.renewLeases()
    const live = sessions.list()
    const used = live.filter((session) => written.get(session.row.id) !== session.lastActivityAt())
    await recordActivity(
      db,
      used.map((session) => ({ id: session.row.id, lastActivityAt: new Date(session.lastActivityAt()) })),
    )
    written.clear()
    for (const session of live) written.set(session.row.id, session.lastActivityAt())
    for (const id of await sessionsOfRevokedKeys(db, parts.nodeId)) {
      sessions.end(id, 'revoked').catch((error: unknown) => parts.onError(error, `ending session ${id} (revoked)`))
    }
    for (const row of await activeSessionsOfNode(db, parts.nodeId)) {
      if (sessions.isStray(row)) await endStraySession(parts, row)
    }
    parts.onRetired(await retireBootstrapKeys(db))
    if (!mayJudge) return
    for (const node of await findDeadNodes(db, deadAfterSeconds)) {
      if (node.id === parts.nodeId) continue
      for (const row of await endLostSessions(parts, node.id, node.heartbeatAt)) parts.onEnd?.(row)
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
        () => parts.onBeat(undefined),
        (error: unknown) => {
          parts.onBeat(error)
          parts.onError(error, 'heartbeat')
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
