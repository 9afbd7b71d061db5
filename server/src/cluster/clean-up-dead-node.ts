import { releaseLeasesOfNode } from '../profiles/lease-queries.ts'
import { releaseHoldsOfNode } from '../billing/account.ts'
import { activeSessionsOfNode } from '../sessions/session-queries.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import { billSession, type BillingDeps } from '../sessions/bill.ts'

/**
 * Ends the sessions of a dead node, whose browsers are gone. Bills each until the last heartbeat of
 * the node or the last use of the session, whichever is later. Releases the holds of the node's
 * other work and its profile leases. Returns the sessions.
 */
export async function cleanUpDeadNode(
  deps: BillingDeps,
  nodeId: string,
  heartbeatAt: Date | undefined,
): Promise<readonly SessionRow[]> {
  const lost = await activeSessionsOfNode(deps.store.db, nodeId)
  const ended: SessionRow[] = []
  for (const row of lost) {
    const lastAliveMs = Math.max(row.lastActivityAt.getTime(), heartbeatAt?.getTime() ?? 0)
    const durationMs = lastAliveMs - row.createdAt.getTime()
    ended.push(await billSession(deps, row, { status: 'destroyed', reason: 'lost', durationMs }))
  }
  await releaseHoldsOfNode(deps.store.db, nodeId)
  await releaseLeasesOfNode(deps.store.db, nodeId)
  return ended
}
