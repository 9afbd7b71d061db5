import type { CheckStatus } from 'bowline/contract/monitor-checks'
import { mergeSignals } from 'bowline/kit/abort'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { runEvery } from '../kit/run-every.ts'
import { claimCheck, releaseChecks, renewCheck, type CheckRow } from './queries/checks.ts'
import { summarizePages } from './queries/pages.ts'
import { findMonitor, type MonitorRow } from './queries/monitors.ts'
import { isUnreadable } from '../store/tables/json-table.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import { endCheck, reserveCheck } from './check-account.ts'
import { CheckPatternMatcher } from './check-pattern-matcher.ts'
import { checkTarget, type CheckContext, type TargetResult } from './check-target.ts'
import { estimateMonitor } from './estimate.ts'
import type { MonitorDeps } from './monitor-deps.ts'
import { sendCheckEvent } from './send-webhooks.ts'

/** A claimed check whose monitor has not been read yet. */
type ClaimedCheck = Omit<CheckContext, 'monitor' | 'matcher'>

const renewMs = 10_000

/**
 * Maximum number of server crashes during a check. Without it, a check that crashes its server
 * would be requeued forever. Shutdowns and outages of the database do not count.
 */
const maxCrashes = 10

/**
 * Runs a check, or the rest of one whose server died, unless another server runs it. Pages already
 * stored are skipped. If the signal aborts or the database is unavailable, rejects with the reason
 * and releases the check, so that it can continue on any server.
 */
export async function runCheck(deps: MonitorDeps, checkId: string, stop: AbortSignal): Promise<void> {
  const { store, nodeId, onError } = deps
  const check = await claimCheck(store.db, checkId, nodeId)
  if (check === undefined) return
  const interruption = new AbortController()
  const signal = mergeSignals(stop, interruption.signal)
  await using _renewal = runEvery(renewMs, async () => renew(deps, check), {
    onError: (error) => {
      if (isBowlineError(error)) interruption.abort(error)
      else onError(error, 'renewing the lease of a check')
    },
  })
  try {
    await runTargets({ deps, check, signal })
  } catch (error) {
    const isOutage = isStoreUnavailable(error)
    if (stop.aborted || isOutage) await releaseChecks(store.db, check)
    if (isOutage) throw error
    if (isUnreadable(error))
      return finish({ deps, check, signal }, undefined, { status: 'failed', error: error.message })
    if (!interruption.signal.aborted) throw error
    await endIfMonitorDeleted({ deps, check, signal }, error)
  }
}

/**
 * Renews the lease. Throws MONITOR_NOT_FOUND if the monitor was deleted, and CONFLICT if another
 * server has the lease.
 */
async function renew({ store }: MonitorDeps, check: CheckRow): Promise<void> {
  if (!(await renewCheck(store.heartbeatDb, check)))
    throw new BowlineError('CONFLICT', 'Another server runs this check')
  if ((await findMonitor(store.heartbeatDb, check.monitorId)) === undefined) throw monitorDeleted()
}

function monitorDeleted(): BowlineError {
  return new BowlineError('MONITOR_NOT_FOUND', 'The monitor was deleted')
}

async function endIfMonitorDeleted(run: ClaimedCheck, error: unknown): Promise<void> {
  if (isBowlineError(error) && error.code === 'MONITOR_NOT_FOUND')
    await finish(run, undefined, { status: 'failed', error: error.message })
}

async function runTargets(run: ClaimedCheck): Promise<void> {
  const { deps, check } = run
  const monitor = await findMonitor(deps.store.db, check.monitorId)
  if (monitor === undefined) return finish(run, undefined, { status: 'failed', error: monitorDeleted().message })
  if (check.crashes >= maxCrashes) {
    const error = `The server crashed ${check.crashes} times during the check`
    return finish(run, monitor, { status: 'failed', error })
  }
  // Pages may have been added to the monitor while the check was queued.
  const credits = Math.max(check.estimatedCredits, estimateMonitor(deps, monitor))
  if (!(await reserveCheck(deps.store.db, { id: check.id, teamId: check.teamId, credits }))) {
    const error = `The check needs ${credits} credits, but the team has fewer left`
    return finish(run, monitor, { status: 'skipped_no_credits', error })
  }
  await using matcher = new CheckPatternMatcher()
  const results: TargetResult[] = []
  for (const target of monitor.targets) {
    results.push(await checkTarget({ ...run, monitor, matcher }, target))
  }
  await finish(run, monitor, { results })
}

/** End of a check: the results of its targets, or the reason why not all were checked. */
type CheckEnd =
  | { readonly results: readonly TargetResult[] }
  | { readonly status: Extract<CheckStatus, 'failed' | 'skipped_no_credits'>; readonly error: string }

/** Ends a check. It is billed and reported exactly once, even across server crashes. */
async function finish({ deps, check }: ClaimedCheck, monitor: MonitorRow | undefined, end: CheckEnd): Promise<void> {
  const results = 'results' in end ? end.results : []
  const ended = await deps.store.db.transaction().execute(async (db) => {
    const pages = await summarizePages(db, check.id)
    const { summary } = pages
    const credits = results.reduce((sum, { searchCredits = 0 }) => sum + searchCredits, pages.credits)
    const { status, error: reason } = 'error' in end ? end : judge(results, summary)
    const targetResults = Array.from(results, (result) => ({ ...result }))
    const outcome = { status, summary, targetResults, error: reason, credits }
    const charged = await endCheck(db, check, outcome)
    if (charged === undefined) return undefined
    const result = { status, charged }
    if (monitor === undefined) return result
    await sendCheckEvent(deps, monitor, { id: check.id, status, summary, error: reason }, db)
    await deps.mailer?.enqueueCheckMails(db, monitor, { id: check.id, status, summary })
    return result
  })
  if (ended === undefined) return
  deps.billing.noteCharge({ kind: 'monitor', credits: ended.charged })
  deps.metrics?.increment('bowline_monitor_checks_total', { status: ended.status })
}

/** Returns the status of a check of all targets, and why some of them failed. */
function judge(
  results: readonly TargetResult[],
  { totalPages, error: failedPages }: { readonly totalPages: number; readonly error: number },
): { readonly status: 'completed' | 'partial' | 'failed'; readonly error: string | undefined } {
  const failures = results.flatMap((result) => result.error ?? [])
  const error = failures.length === 0 ? undefined : failures.join('; ')
  if (error === undefined && failedPages === 0) return { status: 'completed', error }
  return { status: totalPages === failedPages ? 'failed' : 'partial', error }
}
