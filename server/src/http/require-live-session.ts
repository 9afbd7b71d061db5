import type { LiveSession } from '../sessions/live-session.ts'
import { sessionEnded } from '../kit/session-ended.ts'
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
  throw sessionEnded(row.endReason ?? 'ending')
}
