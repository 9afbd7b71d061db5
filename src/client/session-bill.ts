import type { ProfileOutcome } from '../contract/browser.ts'
import type { BowlineError } from '../kit/errors.ts'

/**
 * What ended a session: the work returned, threw, ran out of time or was aborted; the process got a signal or exited;
 * or the program called `end()`.
 */
export type EndedBy = 'return' | 'throw' | 'timeout' | 'abort' | 'signal' | 'exit' | 'end'

/** What a session cost. The figures are absent when the service does not tell them. */
export interface SessionBill {
  readonly sessionId: string
  readonly endedBy: EndedBy
  /** Milliseconds from creation to end. */
  readonly sessionDurationMs?: number | undefined
  readonly creditsBilled?: number | undefined
  /** The profile, with the version that was saved, or why none was. Absent without a profile. */
  readonly profile?: ProfileOutcome | undefined
  /** Present when the deletion could not be confirmed: DELETE_FAILED. */
  readonly error?: BowlineError | undefined
}
