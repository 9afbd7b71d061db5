import { handoffSummary } from '../handoff/handoffs.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { profileOutcome } from '../sessions/profile-outcome.ts'
import { labelsOf } from '../sessions/session-labels.ts'
import { endFields } from '../sessions/end-fields.ts'
import { sessionUrls } from '../sessions/urls.ts'
import type { OnUnreadable } from '../store/tables/json-table.ts'
import type { SessionRow } from '../store/tables/sessions.ts'
import type { Call } from './register.ts'

/** Dependencies of `sessionSummary`. */
export interface SummaryDeps {
  readonly sessions: Sessions
  readonly onUnreadable: OnUnreadable
}

/** Describes a session for a caller. `team`: the name of its team, if the response has it. */
export function sessionSummary(
  row: SessionRow,
  { sessions, onUnreadable }: SummaryDeps,
  { key, baseUrl }: Pick<Call, 'key' | 'baseUrl'>,
  team?: string,
) {
  const session = sessions.find(row.id)
  const lastActivityMs = session?.lastActivityAt() ?? row.lastActivityAt.getTime()
  const handoff = session?.handoffs.open[0]
  return {
    id: row.id,
    ...labelsOf(row, onUnreadable),
    status: row.status,
    ...(team === undefined ? {} : { team }),
    // These URLs grant control of the session, so only its team receives them.
    ...(row.teamId === key.teamId ? sessionUrls(baseUrl, row) : {}),
    streamWebView: row.streamWebView,
    createdAt: row.createdAt.toISOString(),
    lastActivity: new Date(lastActivityMs).toISOString(),
    expiresAt: row.expiresAt.toISOString(),
    ...endFields(row),
    ...profileOutcome(row),
    ...(handoff === undefined ? {} : { handoff: handoffSummary(handoff) }),
    ...(row.error === undefined ? {} : { error: row.error }),
  }
}

/** Describes the bill of an ended session. */
export function sessionBill(row: SessionRow, onUnreadable: OnUnreadable) {
  return {
    ...labelsOf(row, onUnreadable),
    sessionDurationMs: row.durationMs ?? 0,
    creditsBilled: row.creditsBilled ?? 0,
    ...(row.endReason === undefined ? {} : { endReason: row.endReason }),
    ...profileOutcome(row),
  }
}
