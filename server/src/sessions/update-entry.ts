import type { SessionRow } from '../store/tables/sessions.ts'
import type { SessionTimes } from './session-clock.ts'
import type { SessionDeps } from './session-deps.ts'
import type { Entry } from './session-entry.ts'
import { cannotChangeEnded, updateSession, type SessionChange } from './update-session.ts'

/**
 * Changes a live session in the store, then its row and timers here, one change after the other.
 * Throws SESSION_ENDED, INSUFFICIENT_CREDITS or BAD_REQUEST.
 */
export async function updateEntry(
  deps: Pick<SessionDeps, 'store' | 'prices'>,
  entry: Entry,
  change: SessionChange,
): Promise<SessionRow> {
  const earlier = entry.updating
  const updating = (async () => {
    await earlier
    return update(deps, entry, change)
  })()
  // The caller receives the error.
  entry.updating = updating.catch(() => undefined)
  return updating
}

async function update(
  deps: Pick<SessionDeps, 'store' | 'prices'>,
  { session, clock }: Entry,
  change: SessionChange,
): Promise<SessionRow> {
  const { id } = session.row
  if (session.ended.aborted) throw cannotChangeEnded(id)
  const changesTimes = change.ttlSeconds !== undefined || change.activityTtlSeconds !== undefined
  // An idle session must not end as soon as its idle time is shortened.
  if (change.activityTtlSeconds !== undefined) clock.touch()
  // No timer may end the session while the store extends it.
  if (changesTimes) clock.setTimes(longest(session.row, change))
  try {
    session.row = await updateSession(deps, id, change)
    return session.row
  } finally {
    if (changesTimes && !session.ended.aborted) clock.setTimes(session.row)
  }
}

function longest(row: SessionTimes, { ttlSeconds = 0, activityTtlSeconds = 0 }: SessionChange): SessionTimes {
  return {
    ttlSeconds: Math.max(row.ttlSeconds, ttlSeconds),
    activityTtlSeconds: Math.max(row.activityTtlSeconds, activityTtlSeconds),
  }
}
