import { releaseLeasesOfNode } from '../profiles/lease-queries.ts'
import { releaseHoldsOfNode } from '../billing/account.ts'
import { activeSessionsOfNode } from '../sessions/session-queries.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import { billSession, type BillingDeps } from '../sessions/bill.ts'

/**
 * Ends the sessions of a dead node, whose browsers are gone. Bills each for its age at the last
 * heartbeat of the node, or until its last use, whichever is later. Releases the profile leases of
 * the node and the holds of its other work. Returns the sessions.
 */
export async function cleanUpDeadNode(deps: BillingDeps, nodeId: string): Promise<readonly SessionRow[]> {
  const lost = await activeSessionsOfNode(deps.store.db, nodeId)
  const ended: SessionRow[] = []
  for (const row of lost) {
    const createdMs = row.createdAt.getTime()
    // The wall clock may have been set since. Without a heartbeat, it is billed until its last use.
    const lastAliveMs = Math.max(row.lastActivityAt.getTime(), row.aliveUntil?.getTime() ?? 0)
    const durationMs = lastAliveMs - createdMs
    ended.push(await billSession(deps, row, { status: 'destroyed', reason: 'lost', durationMs }))
  }
  await releaseHoldsOfNode(deps.store.db, nodeId)
  await releaseLeasesOfNode(deps.store.db, nodeId)
  return ended
}
