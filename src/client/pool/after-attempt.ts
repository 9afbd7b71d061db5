import { abortable } from '../../kit/abort.ts'
import { isBowlineError } from '../../kit/errors.ts'
import type { Reuse } from '../driver.ts'
import type { Session } from '../session.ts'
import type { Sessions } from '../sessions.ts'
import type { Attempt } from './attempt.ts'
import type { DriftMeter } from './drift.ts'
import { isInfrastructureError } from './failure-kind.ts'
import type { CostMeter } from './cost-meter.ts'
import type { PoolSettings } from './options.ts'
import type { FailureKind, RetireReason } from './outcome.ts'

/** An attempt that finished or failed. */
export type EndedAttempt<Result> = Exclude<Attempt<Result>, { readonly state: 'stopped' }>

/** An attempt that failed. */
export type FailedAttempt = EndedAttempt<never> & { readonly state: 'failed' }

/** A finished attempt, or a failed one with the kind of failure. */
export type AttemptResult<Result> = (EndedAttempt<Result> & { readonly state: 'done' }) | Failed

/** A failed attempt. */
export interface Failed {
  readonly state: 'failed'
  readonly error: unknown
  readonly kind: FailureKind
}

/** Handles for the next task of a session. */
export interface Renewed<Handles> {
  readonly handles: Handles
  /** Reason to retire the session. */
  readonly reason: RetireReason | undefined
}

/** Time limit for a new page in milliseconds. A session that takes longer counts as lost. */
const renewLimitMs = 15_000

/** Dependencies of `renew`. */
export interface RenewDeps<Handles> {
  /** `undefined` if the driver cannot open further pages. */
  readonly reuse: Reuse<Handles> | undefined
  /** Aborts when the session is lost. */
  readonly failureSignal: AbortSignal
  readonly driftMeter: DriftMeter
}

/** Opens a new page for the next task. This also detects lost sessions and slow ones. */
export async function renew<Handles>(
  attempt: EndedAttempt<unknown>,
  handles: Handles,
  { reuse, failureSignal, driftMeter }: RenewDeps<Handles>,
): Promise<Renewed<Handles>> {
  if (failureSignal.aborted) return { handles, reason: 'failure' }
  if (reuse === undefined) return { handles, reason: undefined }
  // The timed-out work may continue, so its session is not reused.
  if (attempt.state === 'failed' && attempt.isTimeout) return { handles, reason: undefined }
  try {
    const signal = AbortSignal.timeout(renewLimitMs)
    const next = await abortable(reuse.next({ signal }), signal)
    const hasDrifted = await driftMeter.hasDrifted(() => abortable(reuse.probe({ signal }), signal))
    if (failureSignal.aborted) return { handles: next, reason: 'failure' }
    return { handles: next, reason: hasDrifted ? 'drift' : undefined }
  } catch {
    // The session did not respond, so it is replaced.
    return { handles, reason: 'failure' }
  }
}

/** Classifies a failure as one of the infrastructure or of the page. */
export async function classifyFailure(
  { error, isTimeout }: FailedAttempt,
  facts: { readonly isSessionLost: boolean; readonly isSessionGone: () => Promise<boolean> },
): Promise<Failed> {
  const isLost = isInfrastructureError(error) || facts.isSessionLost || (!isTimeout && (await facts.isSessionGone()))
  return { state: 'failed', error, kind: isLost ? 'infrastructure' : 'page' }
}

/** Whether the service reports the session as ended or unknown, or cannot be reached. */
export async function isSessionGone(
  sessions: Pick<Sessions, 'get'>,
  session: Session,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await sessions.get(session.id, { signal })).status !== 'active'
  } catch (error) {
    return isBowlineError(error) && ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'CONNECTION_FAILED'].includes(error.code)
  }
}

/** Returns the reason to retire a session after an item, if there is one. */
export function retireReasonAfterUse(facts: {
  readonly uses: number
  /** Time of `performance.now()`. */
  readonly expiresAtMs: number
  readonly attempt: EndedAttempt<unknown>
  readonly meter: CostMeter
  readonly settings: Pick<PoolSettings<unknown>, 'maxUses' | 'timeoutMs'>
}): RetireReason | undefined {
  const { attempt, meter, settings } = facts
  if (attempt.state === 'failed' && (attempt.isTimeout || isInfrastructureError(attempt.error))) return 'failure'
  if (facts.uses >= settings.maxUses) return 'uses'
  const leftMs = facts.expiresAtMs - performance.now()
  if (leftMs < Math.min(settings.timeoutMs, 4 * attempt.durationMs + 5000)) return 'age'
  // The next item would probably be aborted.
  if (!meter.canAffordNextCredit() && meter.leftMs() < attempt.durationMs) return 'budget'
  return undefined
}
