import { BowlineError } from '../../kit/errors.ts'
import { tokenKind } from '../sessions/tokens.ts'
import { getSession, type SessionRow } from '../store/sessions.ts'
import type { Store } from '../store/store.ts'

/** A viewer that may see a session. */
export interface Admitted {
  readonly row: SessionRow
  readonly kind: 'view' | 'interact'
}

/**
 * Checks the address of a live view. Throws SESSION_NOT_FOUND for an unknown session and for one without a live view, and
 * FORBIDDEN for a token that is not one of its live view.
 */
export const admitViewer = async (store: Store, id: string, token: string): Promise<Admitted> => {
  const row = await getSession(store.db, id)
  if (!row.streamWebView) throw new BowlineError('SESSION_NOT_FOUND', 'This session has no live view.')
  const kind = tokenKind(row.secret, token)
  if (kind === undefined) throw new BowlineError('FORBIDDEN', 'The token of this address is not valid')
  if (kind === 'control') throw new BowlineError('FORBIDDEN', 'A control token gives no live view')
  return { row, kind }
}
