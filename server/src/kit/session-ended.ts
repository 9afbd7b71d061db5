import { BowlineError } from 'bowline/kit/errors'

/** Creates SESSION_ENDED for a session that has ended or is ending, with the reason if known. */
export function sessionEnded(reason?: string): BowlineError {
  const suffix = reason === undefined ? '' : ` (${reason})`
  return new BowlineError('SESSION_ENDED', `Browser session has been destroyed${suffix}.`)
}
