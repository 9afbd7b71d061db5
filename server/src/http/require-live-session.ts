import { BowlineError } from 'bowline/kit/errors'
import type { LiveSession } from '../sessions/live-session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { SessionRow } from '../store/tables/sessions.ts'

/** Returns a session of this node, once it has started. Throws SESSION_ENDED. */
export async function requireLiveSession(
  sessions: Pick<Sessions, 'find' | 'whenStarted'>,
  row: SessionRow,
): Promise<LiveSession> {
  await sessions.whenStarted(row.id)
  const session = sessions.find(row.id)
  if (session !== undefined) return session
  throw new BowlineError('SESSION_ENDED', `Browser session has been destroyed (${row.endReason ?? 'ending'}).`)
}
