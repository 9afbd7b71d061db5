import type { Identity } from '../identity.ts'
import { endLostSessions } from '../sessions/recovery.ts'
import { listNodes } from '../store/nodes.ts'
import type { Parts } from './prepare-sessions.ts'

/** Ends what a former run of this node left behind. */
export async function recoverSessions(deps: Parts, identity: Identity): Promise<number> {
  const nodes = await listNodes(deps.store.db)
  const former = nodes.find((node) => node.id === identity.nodeId)
  const ended = await endLostSessions(deps, identity.nodeId, former?.heartbeatAt)
  for (const row of ended) deps.onEnd?.(row)
  // Its leases are free by now, and nobody of this node can take them yet.
  await deps.profiles.resumePending()
  return ended.length
}
