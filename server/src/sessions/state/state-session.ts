import type { EndReason, CreateSessionRequest } from 'bowline/contract/browser'
import { abortable } from 'bowline/kit/abort'
import { BowlineError } from 'bowline/kit/errors'
import type { Browser } from '../../browsers/launch.ts'
import type { NewSession } from '../admission.ts'
import type { Sessions } from '../sessions.ts'

/** A session that the server makes for work of its own on a profile, and for whom. */
export interface StateSession extends Pick<NewSession, 'teamId' | 'apiKeyId' | 'use'> {
  /** What the work is called in messages, such as `import`. */
  readonly work: string
  readonly profile: NonNullable<CreateSessionRequest['profile']>
  /** Most seconds that the work may take. */
  readonly ttl: number
  /** Aborting ends the session and rejects with the signal's reason. */
  readonly signal: AbortSignal
}

/**
 * Runs work on the browser of a new session, which is admitted, billed and ended like any other. Throws what creating a
 * session throws, SESSION_ENDED when the work takes longer than `ttl`, DRAINING, CDP_FAILED.
 */
export async function runInSession<Result>(
  sessions: Sessions,
  { teamId, apiKeyId, use, work, profile, ttl, signal }: StateSession,
  run: (browser: Browser, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const request = { ttl, activityTtl: ttl, streamWebView: false, keepFiles: false, profile } as const
  const { id } = await sessions.create({
    teamId,
    apiKeyId,
    request: { ...request, onBrowserClose: 'disconnect' },
    idempotencyKey: undefined,
    use,
  })
  const session = sessions.find(id)
  if (session === undefined) throw endedEarly(work, 'deleted', ttl)
  const either = AbortSignal.any([signal, session.ended])
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
    return new BowlineError('DRAINING', `The server is shutting down: the ${work} was stopped`, {
      retryAfterSeconds: 5,
    })
  }
  if (reason === 'crashed') return new BowlineError('CDP_FAILED', `The browser of the ${work} crashed`)
  const isLate = reason === 'ttl' || reason === 'idle'
  return new BowlineError(
    'SESSION_ENDED',
    isLate ? `The ${work} took longer than ${ttl} s and was stopped` : `The browser session of the ${work} was deleted`,
    { hint: isLate ? 'Keep fewer origins in one profile.' : 'Retry the request.' },
  )
}
