import type { ProfileOutcome } from '../contract/browser.ts'
import type { BowlineError } from '../kit/errors.ts'

/**
 * Why a session ended. `return`, `throw`, `timeout` and `abort` concern the work; `signal` and
 * `exit` concern the process; `end` is a call of `end()`.
 */
export type EndedBy = 'return' | 'throw' | 'timeout' | 'abort' | 'signal' | 'exit' | 'end'

/** Duration and cost of a session. Fields that the service does not report are `undefined`. */
export interface SessionBill {
  readonly sessionId: string
  readonly endedBy: EndedBy
  /** Milliseconds from creation to end. */
  readonly sessionDurationMs?: number | undefined
  /** Credits charged for the session. */
  readonly creditsBilled?: number | undefined
  /**
   * Profile of the session, with the version that was saved or the reason why none was. `undefined`
   * without a profile.
   */
  readonly profile?: ProfileOutcome | undefined
  /** DELETE_FAILED if the deletion could not be confirmed. */
  readonly error?: BowlineError | undefined
}
