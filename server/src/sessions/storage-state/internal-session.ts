import type { EndReason } from 'bowline/contract/browser'
import type { CreateSessionRequest } from 'bowline/contract/session-options'
import { abortable, mergeSignals } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { Browser } from '../../browsers/launch.ts'
import type { NewSession } from '../admit-session.ts'
import type { Sessions } from '../sessions.ts'

/** A session that the server creates to work on a profile. */
export interface InternalSession extends Pick<NewSession, 'teamId' | 'apiKeyId' | 'use'> {
  /** Name of the work in messages, such as `import`. */
  readonly work: string
  readonly profile: NonNullable<CreateSessionRequest['profile']>
  /** Maximum duration of the work, in seconds. */
  readonly ttl: number
  /** Aborting ends the session. Its reason is thrown. */
  readonly signal: AbortSignal
}

/**
 * Runs work in the browser of a new session, which is admitted, billed and ended like any other.
 * Throws the errors of `Sessions.create`, SESSION_ENDED if the work takes longer than `ttl`,
 * DRAINING, UNAUTHORIZED if the API key is revoked meanwhile, or CDP_FAILED.
 */
export async function runInSession<Result>(
  sessions: Sessions,
  { teamId, apiKeyId, use, work, profile, ttl, signal }: InternalSession,
  run: (browser: Browser, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  // The name of a profile may contain control characters, that of a session may not.
  const name = `${work} of the profile ${profile.name}`.replaceAll(/\p{Cc}+/gu, ' ')
  const request = { name, ttl, activityTtl: ttl, streamWebView: false, keepFiles: false, profile } as const
  const { id } = await sessions.create({
    teamId,
    apiKeyId,
    request: { ...request, onBrowserClose: 'disconnect' },
    idempotencyKey: undefined,
    use,
  })
  const session = sessions.find(id)
  // It may end as soon as it has started.
  if (session === undefined) throw endedEarly(work, sessions.isDraining ? 'drained' : 'deleted', ttl)
  const either = mergeSignals(signal, session.ended)
  let hasFailed = true
  try {
    const result = await abortable(run(session.browser, either), either)
    hasFailed = false
    return result
  } catch (error) {
    if (session.ended.aborted) throw endedEarly(work, session.ended.reason as EndReason, ttl)
    throw error
  } finally {
    await sessions.end(id, 'deleted', { hasFailed })
  }
}

function endedEarly(work: string, reason: EndReason, ttl: number): BowlineError {
  if (reason === 'drained') {
    return new BowlineError('DRAINING', `The server is shutting down: the ${work} was aborted`, {
      retryAfterSeconds: 5,
    })
  }
  if (reason === 'revoked') {
    return new BowlineError('UNAUTHORIZED', `The API key was revoked: the ${work} was aborted`)
  }
  if (reason === 'crashed') return new BowlineError('CDP_FAILED', `The browser of the ${work} crashed`)
  const isLate = reason === 'ttl' || reason === 'idle'
  return new BowlineError(
    'SESSION_ENDED',
    isLate ? `The ${work} took longer than ${ttl} s and was aborted` : `The browser session of the ${work} was deleted`,
    { hint: isLate ? 'Use fewer origins per profile.' : 'Retry the request.' },
  )
}
