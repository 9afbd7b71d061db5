import { abortable } from '../../kit/abort.ts'
import { isBowlineError } from '../../kit/errors.ts'
import type { Reuse } from '../driver.ts'
import type { Session } from '../session.ts'
import type { Sessions } from '../sessions.ts'
import type { Attempt } from './attempt.ts'
import type { SlowdownMeter } from './slowdown.ts'
import { isInfrastructureError } from './failure-kind.ts'
import type { CostMeter } from './cost-meter.ts'
import type { PoolSettings } from './options.ts'
import type { FailureKind, RetireReason } from './outcome.ts'

/** An attempt that came to an end. */
export type EndedAttempt<Result> = Exclude<Attempt<Result>, { readonly state: 'stopped' }>

/** How an attempt went, and whose fault it was. */
export type Completed<Result> = (EndedAttempt<Result> & { readonly state: 'done' }) | Failed

/** A failed attempt. */
export interface Failed {
  readonly state: 'failed'
  readonly error: unknown
  readonly kind: FailureKind
}

/** What the next task of a session will work with. */
export interface Renewed<Handles> {
  readonly handles: Handles
  /** Why the session should not go on. */
  readonly reason: RetireReason | undefined
}

/** Milliseconds for a new page; a session that takes longer is lost. */
const renewLimitMs = 15_000

/** Opens a new page for the next task, which also shows whether the session is still there and as quick as it was. */
export async function renew<Handles>(
  attempt: EndedAttempt<unknown>,
  handles: Handles,
  reuse: Reuse<Handles> | undefined,
  drift: SlowdownMeter,
): Promise<Renewed<Handles>> {
  if (reuse === undefined) return { handles, reason: undefined }
  if (reuse.failureSignal.aborted) return { handles, reason: 'trouble' }
  // The work may go on for a while, so its session is not used again.
  if (attempt.state === 'failed' && attempt.isTimeout) return { handles, reason: undefined }
  try {
    const signal = AbortSignal.timeout(renewLimitMs)
    const next = await abortable(reuse.next({ signal }), signal)
    const hasSlowedDown = await drift.hasSlowedDown(() => abortable(reuse.probe({ signal }), signal))
    if (reuse.failureSignal.aborted) return { handles: next, reason: 'trouble' }
    return { handles: next, reason: hasSlowedDown ? 'drift' : undefined }
  } catch {
    return { handles, reason: 'trouble' }
  }
}

/** Tells a failure of the session or the service from one of the work. */
export async function judge(
  { error, isTimeout }: EndedAttempt<never> & { readonly state: 'failed' },
  facts: { readonly isSessionLost: boolean; readonly askService: () => Promise<boolean> },
): Promise<Failed> {
  const isLost = isInfrastructureError(error) || facts.isSessionLost || (!isTimeout && (await facts.askService()))
  return { state: 'failed', error, kind: isLost ? 'infrastructure' : 'page' }
}

/** Asks the service whether a session is over. */
export async function hasEnded(sessions: Sessions, session: Session, signal: AbortSignal): Promise<boolean> {
  try {
    return (await sessions.get(session.id, { signal })).status !== 'active'
  } catch (error) {
    return isBowlineError(error) && ['SESSION_NOT_FOUND', 'SESSION_ENDED', 'CONNECTION_FAILED'].includes(error.code)
  }
}

/** Why a session that has served an item should be replaced, if it should. */
export function reasonOfUse(facts: {
  readonly uses: number
  /** Time of `performance.now()`. */
  readonly expiresAtMs: number
  readonly attempt: EndedAttempt<unknown>
  readonly meter: CostMeter
  readonly settings: Pick<PoolSettings<unknown>, 'maxUses' | 'timeoutMs'>
}): RetireReason | undefined {
  const { attempt, meter, settings } = facts
  if (attempt.state === 'failed' && (attempt.isTimeout || isInfrastructureError(attempt.error))) return 'trouble'
  if (facts.uses >= settings.maxUses) return 'uses'
  const leftMs = facts.expiresAtMs - performance.now()
  if (leftMs < Math.min(settings.timeoutMs, 4 * attempt.durationMs + 5000)) return 'age'
  // The next item would probably be cut off.
  if (!meter.canGoOn() && meter.leftMs() < attempt.durationMs) return 'budget'
  return undefined
}
