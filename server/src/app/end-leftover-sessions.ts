import type { Identity } from '../identity.ts'
import { cleanUpDeadNode } from '../cluster/clean-up-dead-node.ts'
import { listNodes } from '../nodes/node-queries.ts'
import type { AppDeps } from './collect-app-deps.ts'

/**
 * Ends and bills the sessions that a previous run of this node left behind. Returns their number.
 */
export async function endLeftoverSessions(deps: AppDeps, identity: Identity): Promise<number> {
  const nodes = await listNodes(deps.store.db)
  const previous = nodes.find((node) => node.id === identity.nodeId)
  const ended = await cleanUpDeadNode(deps, identity.nodeId, previous?.heartbeatAt)
  for (const row of ended) deps.onEnd(row)
  // `cleanUpDeadNode` has released this node's profile leases, and no session can take one before
  // the server listens.
  await deps.profiles.resumePending()
  return ended.length
}
