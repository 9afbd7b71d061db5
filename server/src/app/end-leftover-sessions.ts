import { cleanUpDeadNode } from '../cluster/clean-up-dead-node.ts'
import type { SessionWebhooks } from '../sessions/session-webhooks.ts'
import type { SharedDeps } from './shared-deps.ts'

type EndLeftoverDeps = Pick<SharedDeps, 'store' | 'prices' | 'profiles' | 'nodeId' | 'onEnd'>

/**
 * Ends and bills the sessions that a previous run of this node left behind. Returns their number.
 */
export async function endLeftoverSessions(
  { store, prices, profiles, nodeId, onEnd }: EndLeftoverDeps,
  webhooks: SessionWebhooks,
): Promise<number> {
  const ended = await cleanUpDeadNode({ store, prices, webhooks }, nodeId)
  for (const row of ended) onEnd(row)
  // `cleanUpDeadNode` has released this node's profile leases, and no session can take one before
  // the server listens.
  await profiles.resumePending()
  return ended.length
}
