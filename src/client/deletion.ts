import type { ProfileOutcome } from '../contract/browser.ts'
import { isBowlineError } from '../kit/errors.ts'
import type { Call } from './call.ts'

/** The figures of a bill. */
export interface Figures {
  readonly sessionDurationMs?: number | undefined
  readonly creditsBilled?: number | undefined
  readonly profile?: ProfileOutcome | undefined
}

const deletionRetries = 6

/**
 * Deletes a session and reads its figures; when the answer has none, the session is read once for them. Rejects when
 * the service does not know the session, or did not confirm the deletion after seven tries. `hasFailed` has the service
 * keep recordings that are for failures.
 */
export const deleteSession = async (call: Call, id: string, hasFailed = false): Promise<Figures> => {
  const query = hasFailed ? { failed: 'true' as const } : {}
  const answer = await call('deleteSession', { params: { id }, query }, { retries: deletionRetries })
  if (answer.sessionDurationMs !== undefined && answer.creditsBilled !== undefined) return pickFigures(answer)
  const summary: Figures = await call('getSession', { params: { id } }, { retries: 0 }).catch(() => ({}))
  return pickFigures({
    sessionDurationMs: answer.sessionDurationMs ?? summary.sessionDurationMs,
    creditsBilled: answer.creditsBilled ?? summary.creditsBilled,
    profile: answer.profile ?? summary.profile,
  })
}

/** The same for a session that may have ended by itself: being gone counts as deleted, without figures. */
export const deleteSessionIfThere = async (call: Call, id: string, hasFailed = false): Promise<Figures> =>
  deleteSession(call, id, hasFailed).catch((error: unknown) => {
    // A 404 without JSON comes from a proxy or a wrong base URL, and proves nothing about the session.
    if (isBowlineError(error) && error.code !== 'RESPONSE_INVALID' && [404, 410].includes(error.status)) return {}
    throw error
  })

const pickFigures = ({ sessionDurationMs, creditsBilled, profile }: Figures): Figures => ({
  ...(sessionDurationMs === undefined ? {} : { sessionDurationMs }),
  ...(creditsBilled === undefined ? {} : { creditsBilled }),
  ...(profile === undefined ? {} : { profile }),
})
