import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import type { LeaseHolder } from './lease-queries.ts'

/** Maximum `Retry-After` for a locked profile, in seconds. */
const maxRetryAfterSeconds = 60

/** Creates PROFILE_LOCKED for a profile that a session, a scrape or an import is writing. */
export function profileLocked(name: string, { sessionId, sessionName, endsAt }: LeaseHolder): BowlineError {
  const named = sessionName === undefined ? '' : ` (${sessionName})`
  const who = sessionId === undefined ? 'A scrape or an import' : `Session ${sessionId}${named}`
  const waitSeconds = Math.ceil((endsAt.getTime() - Date.now()) / 1000)
  return new BowlineError(
    'PROFILE_LOCKED',
    `${who} is currently writing to the profile "${name}". Only one writer is allowed at a time.`,
    {
      details: { sessionId, sessionName, endsAt: endsAt.toISOString() },
      retryAfterSeconds: Math.min(maxRetryAfterSeconds, Math.max(1, waitSeconds)),
    },
  )
}

/** Returns whether an error is PROFILE_LOCKED. */
export function isProfileLocked(error: unknown): error is BowlineError {
  return isBowlineError(error) && error.code === 'PROFILE_LOCKED'
}

/**
 * Returns PROFILE_LOCKED with the remedy for a change of the profile itself, which can neither wait
 * in a queue nor use `saveChanges: false`.
 */
export function lockedForChange({ message, details, retryAfterSeconds }: BowlineError): BowlineError {
  const { sessionId } = Object(details) as { readonly sessionId?: unknown }
  const hint =
    typeof sessionId === 'string'
      ? `Wait until session ${sessionId} has ended, or end it with \`bowline sessions delete ${sessionId}\`.`
      : 'Retry when it has ended.'
  return new BowlineError('PROFILE_LOCKED', message, { hint, details, retryAfterSeconds })
}
