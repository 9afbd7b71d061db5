import { releaseLeasesOfNode } from '../profiles/lease-queries.ts'
import { releaseHoldsOfNode } from '../billing/account.ts'
import { activeSessionsOfNode } from '../sessions/session-queries.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import { limitLockWaits } from '../store/limit-lock-waits.ts'
import { billSession, type BillingDeps } from '../sessions/bill.ts'

/**
 * Ends the sessions of a dead node, whose browsers are gone. Bills each for its age at the last
 * heartbeat of the node, or until its last use, whichever is later. Releases the profile leases of
 * the node and the holds of its other work. Calls back with each session. If a session cannot be
 * ended, such as one whose row is locked, ends the others and throws. Returns the sessions.
 */
export async function cleanUpDeadNode(
  deps: BillingDeps,
  nodeId: string,
  onEnd?: (row: SessionRow) => void,
): Promise<readonly SessionRow[]> {
  const { db } = deps.store
  const lost = await activeSessionsOfNode(db, nodeId)
  const ended: SessionRow[] = []
  const errors: unknown[] = []
  for (const row of lost) {
    try {
      const billed = await billLost(deps, row)
      ended.push(billed)
      onEnd?.(billed)
    } catch (error) {
      errors.push(error)
    }
  }
  // Before the holds: others may wait for these profiles.
  for (const release of [releaseLeasesOfNode, releaseHoldsOfNode]) {
    await db.transaction().execute(async (transaction) => {
      if (deps.lockTimeoutMs !== undefined) await limitLockWaits(transaction, deps.lockTimeoutMs)
      await release(transaction, nodeId)
    })
  }
  if (errors.length > 0) throw errors[0]
  return ended
}

async function billLost(deps: BillingDeps, row: SessionRow): Promise<SessionRow> {
  const createdMs = row.createdAt.getTime()
  // The wall clock may have been set since. Without a heartbeat, it is billed until its last use.
  const lastAliveMs = Math.max(row.lastActivityAt.getTime(), row.aliveUntil?.getTime() ?? 0)
  const durationMs = lastAliveMs - createdMs
  return billSession(deps, row, { status: 'destroyed', reason: 'lost', durationMs })
}
