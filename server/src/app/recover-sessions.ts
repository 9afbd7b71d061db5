import type { Identity } from '../identity.ts'
import { recoverDeadNode } from '../cluster/recover-dead-node.ts'
import { listNodes } from '../store/nodes.ts'
import type { AppDeps } from './collect-app-deps.ts'

/**
 * Ends and bills the sessions that a previous run of this node left behind. Returns their number.
 */
export async function recoverSessions(deps: AppDeps, identity: Identity): Promise<number> {
  const nodes = await listNodes(deps.store.db)
  const previous = nodes.find((node) => node.id === identity.nodeId)
  const ended = await recoverDeadNode(deps, identity.nodeId, previous?.heartbeatAt)
  for (const row of ended) deps.onEnd(row)
  // Ending the sessions released their leases, and no session of this node can take them yet.
  await deps.profiles.resumePending()
  return ended.length
}
