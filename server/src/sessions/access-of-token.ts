import { sessionNotFound } from './session-queries.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import { tokenKind, type TokenKind } from './tokens.ts'

/**
 * Returns the access that a token grants. Throws SESSION_NOT_FOUND for an invalid token, as for an
 * unknown session, so that guessing does not reveal which sessions exist.
 */
export function accessOfToken(row: SessionRow, token: string): TokenKind {
  const kind = tokenKind(row.secret, token)
  if (kind === undefined) throw sessionNotFound()
  return kind
}
