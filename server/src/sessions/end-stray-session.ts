import type { SessionRow } from '../store/tables/sessions.ts'
import { billSession, type BillingDeps } from './bill.ts'

/**
 * Ends a session that is stored for this node but does not run on it: the database failed while it
 * was created, so no client received it. It costs nothing, and a retry with its idempotency key
 * creates a new one.
 */
export async function endStraySession(deps: BillingDeps, row: SessionRow): Promise<SessionRow> {
  const error = 'The database was unavailable while the session was created'
  return billSession(deps, row, { status: 'error', reason: 'lost', durationMs: 0, error })
}
