import { releaseLeasesOfNode } from '../store/profile-leases.ts'
import { releaseWorkOfNode } from '../store/running-work.ts'
import { activeSessionsOfNode, type SessionRow } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import type { Prices } from '../usage/prices.ts'
import { billSession } from './bill.ts'

/**
 * Ends the sessions of a dead node, whose browsers are gone. Bills each until the last heartbeat of
 * the node or the last use of the session, whichever is later. Releases the reservations of the
 * node's other work and its profile leases. Returns the sessions.
 */
export async function endLostSessions(
  deps: { readonly store: Store; readonly prices: Prices },
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
  await releaseWorkOfNode(deps.store.db, nodeId)
  await releaseLeasesOfNode(deps.store.db, nodeId)
  return ended
}

/**
 * Ends a session that is stored for this node but does not run on it: the database failed while it
 * was created, so no client got it. It costs nothing, and a retry with its idempotency key creates
 * a new one.
 */
export async function endStraySession(
  deps: { readonly store: Store; readonly prices: Prices },
  row: SessionRow,
): Promise<SessionRow> {
  const error = 'The database was unavailable while the session was created'
  return billSession(deps, row, { status: 'error', reason: 'lost', durationMs: 0, error })
}
