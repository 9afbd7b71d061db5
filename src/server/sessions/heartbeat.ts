import { beatNode, findDeadNodes, registerNode, removeNode } from '../store/nodes.ts'
import { recordActivity } from '../store/sessions.ts'
import { judgeSilence } from './judge-silence.ts'
import { endLostSessions } from './recovery.ts'
import type { SessionParts, Sessions } from './sessions.ts'

/** What the heartbeat tells of this node. */
export type HeartbeatParts = SessionParts & { readonly nodeUrl: string }

const beatMs = 5000

/** Seconds without a heartbeat after which a node counts as dead: six beats. */
const deadAfterSeconds = 30

/** The others took this node for dead and billed its sessions: they end here, too, and the node enters itself anew. */
const comeBack = async (parts: HeartbeatParts, sessions: Sessions): Promise<void> => {
  await Promise.all(sessions.list().map(async (session) => sessions.end(session.row.id, 'lost')))
  await registerNode(parts.store.db, { id: parts.nodeId, url: parts.nodeUrl, slots: sessions.maxSessions })
}

/**
 * Tells the store every 5 s that this node lives, when each session was last used and which profiles it writes, and ends
 * the sessions of nodes that no longer say so, unless it could not say so itself just now.
 */
export const startHeartbeat = (parts: HeartbeatParts, sessions: Sessions): AsyncDisposable => {
  const written = new Map<string, number>()
  const isSilenceDeath = judgeSilence(Date.now())
  const beat = async (): Promise<void> => {
    const { db } = parts.store
    const isKnown = await beatNode(db, { id: parts.nodeId, live: sessions.load, draining: sessions.isDraining })
    const mayJudge = isSilenceDeath(Date.now())
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
      .catch((error: unknown) => parts.onError(error, 'heartbeat'))
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
