import type { SessionRow } from '../store/tables/sessions.ts'

/** Returns the end and the bill of a session. Empty while it is active. */
export function endFields({ status, endedAt, endReason, durationMs, creditsBilled }: SessionRow) {
  return status === 'active' || endedAt === undefined
    ? {}
    : { endedAt: endedAt.toISOString(), endReason, sessionDurationMs: durationMs, creditsBilled }
}
