import { releaseLeasesOfNode } from '../store/profile-leases.ts'
import { releaseWorkOfNode } from '../store/running-work.ts'
import { activeSessionsOfNode, type SessionRow } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'
import type { Prices } from '../usage/prices.ts'
import { billSession } from './bill.ts'

/**
 * Ends the sessions of a node that died: their browsers are gone. Each is billed to the last sign of life, of the node or
 * of the session, whichever is later. What its
 * other work had set aside is released. The profiles they wrote stay as last saved and are free. Answers these sessions.
 */
export async function endLostSessions(
  deps: { readonly store: Store; readonly prices: Prices },
  nodeId: string,
  heartbeatAt: Date | undefined,
): Promise<readonly SessionRow[]> {
  const lost = await activeSessionsOfNode(deps.store.db, nodeId)
  const ended: SessionRow[] = []
  for (const row of lost) {
    const lastSignMs = Math.max(row.lastActivityAt.getTime(), heartbeatAt?.getTime() ?? 0)
    const durationMs = lastSignMs - row.createdAt.getTime()
    ended.push(await billSession(deps, row, { status: 'destroyed', reason: 'lost', durationMs }))
  }
  await releaseWorkOfNode(deps.store.db, nodeId)
  await releaseLeasesOfNode(deps.store.db, nodeId)
  return ended
}

/**
 * Ends a session that is entered for this node, which does not have it: the store broke down while it was being made, so
 * nobody got it. It costs nothing, and a second try with its idempotency key makes a new one.
 */
export async function endStraySession(
  deps: { readonly store: Store; readonly prices: Prices },
  row: SessionRow,
): Promise<SessionRow> {
  const error = 'The database of the server was not available while the session was being made'
  return billSession(deps, row, { status: 'error', reason: 'lost', durationMs: 0, error })
}
