import { BowlineError } from 'bowline/kit/errors'
import { accessOfToken } from './access-of-token.ts'
import { getSession } from './session-queries.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { Store } from '../store/store.ts'

/** A session and the access that a viewer's token gives to it. */
export interface AuthorizedViewer {
  readonly row: SessionRow
  readonly kind: 'view' | 'interact'
}

/**
 * Checks the session id and token of a live view URL. Throws SESSION_NOT_FOUND for an unknown
 * session or token and for a session without a live view, and FORBIDDEN for the session's control
 * token.
 */
export async function checkViewerToken(store: Store, id: string, token: string): Promise<AuthorizedViewer> {
  const row = await getSession(store.db, id)
  const kind = accessOfToken(row, token)
  if (!row.streamWebView) throw new BowlineError('SESSION_NOT_FOUND', 'This session has no live view.')
  if (kind === 'control')
    throw new BowlineError('FORBIDDEN', 'A control token does not open the live view. Use a view or interact token.')
  return { row, kind }
}
