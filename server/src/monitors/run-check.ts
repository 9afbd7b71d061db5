import type { CheckStatus } from 'bowline/contract/monitor-checks'
import { BowlineError, isBowlineError } from 'bowline/kit/errors'
import { reserveCheck, settleCheck } from '../store/check-bills.ts'
import { claimCheck, releaseChecks, renewCheck, type CheckRow } from '../store/monitor-checks.ts'
import { summarizePages } from '../store/monitor-pages.ts'
import { findMonitor, type MonitorRow } from '../store/monitors.ts'
import { CheckMatching } from './check-matching.ts'
import { checkTarget, type Run, type TargetResult } from './check-target.ts'
import { definitionOf } from './definition.ts'
import { estimateMonitor } from './estimate.ts'
import type { MonitorDeps } from './monitor-deps.ts'
import { tellEnd } from './notify.ts'

/** A check whose monitor was not looked up yet. */
type Unstarted = Omit<Run, 'monitor' | 'matching'>

const renewMs = 10_000

/** How often a check is begun before it is given up: what kills a server must not do so for ever. */
const maxBegins = 10

/**
 * Does a check, or the rest of one whose server died, if nobody else does. Pages that were entered before are not done
 * again. When the signal aborts, it rejects with the reason and leaves the rest to whoever comes next.
 */
export async function runCheck(deps: MonitorDeps, checkId: string, stop: AbortSignal): Promise<void> {
  const { store, nodeId, onError } = deps
  const check = await claimCheck(store.db, checkId, nodeId)
  if (check === undefined) return
  const lost = new AbortController()
  const signal = AbortSignal.any([stop, lost.signal])
  const renewal = setInterval(() => {
    renew(deps, check).catch((error: unknown) => {
      if (isBowlineError(error)) lost.abort(error)
      else onError(error, 'keeping the lease of a check')
    })
  }, renewMs).unref()
  try {
    await work({ deps, check, signal })
  } catch (error) {
    if (stop.aborted) await releaseChecks(store.db, check)
    if (!lost.signal.aborted) throw error
    await settleLost({ deps, check, signal }, error)
  } finally {
    clearInterval(renewal)
  }
}

/** Throws MONITOR_NOT_FOUND when the monitor was deleted, and CONFLICT when another server has the lease. */
async function renew({ store }: MonitorDeps, check: CheckRow): Promise<void> {
  if (!(await renewCheck(store.db, check))) throw new BowlineError('CONFLICT', 'Another server does this check')
  if ((await findMonitor(store.db, check.monitorId)) === undefined) throw deleted()
}

function deleted(): BowlineError {
  return new BowlineError('MONITOR_NOT_FOUND', 'The monitor was deleted')
}

async function settleLost(run: Unstarted, error: unknown): Promise<void> {
  if (isBowlineError(error) && error.code === 'MONITOR_NOT_FOUND') await settle(run, undefined, [], error.message)
}

async function work(run: Unstarted): Promise<void> {
  const { deps, check } = run
  const monitor = await findMonitor(deps.store.db, check.monitorId)
  if (monitor === undefined) return settle(run, undefined, [], deleted().message)
  if (check.fence > maxBegins)
    return settle(run, monitor, [], `It was begun ${maxBegins} times and never came to its end`)
  // The monitor may have been given more pages while the check stood in line.
  const credits = Math.max(check.estimatedCredits, estimateMonitor(deps, monitor))
  if (!(await reserveCheck(deps.store.db, { id: check.id, teamId: check.teamId, credits }))) {
    return settle(run, monitor, [], `It takes ${credits} credits, and the team has less`, 'skipped_no_credits')
  }
  await using matching = new CheckMatching()
  const results: TargetResult[] = []
  for (const target of definitionOf(monitor).targets) {
    results.push(await checkTarget({ ...run, monitor, matching }, target))
  }
  await settle(run, monitor, results)
}

/** Ends a check, bills it once and tells of it once, whatever happens to the server meanwhile. */
async function settle(
  { deps, check }: Unstarted,
  monitor: MonitorRow | undefined,
  results: readonly TargetResult[],
  error?: string,
  ending?: CheckStatus,
): Promise<void> {
  await deps.store.db.transaction().execute(async (db) => {
    const pages = await summarizePages(db, check.id)
    const { summary } = pages
    const credits = results.reduce((sum, { searchCredits = 0 }) => sum + searchCredits, pages.credits)
    const failures = results.flatMap((result) => result.error ?? [])
    const isNothing = summary.totalPages === summary.error
    const isWhole = failures.length === 0 && summary.error === 0
    const status =
      ending ?? (error !== undefined || (isNothing && !isWhole) ? 'failed' : isWhole ? 'completed' : 'partial')
    const why = error ?? (failures.length === 0 ? undefined : failures.join('; '))
    const facts = {
      status,
      summary: JSON.stringify(summary),
      targetResults: JSON.stringify(results),
      error: why,
      credits,
    }
    if (!(await settleCheck(db, check, facts)) || monitor === undefined) return
    await tellEnd(deps, monitor, { id: check.id, status, summary, error: why }, db)
    await deps.mailer?.enqueueCheck(db, monitor, { id: check.id, status, summary })
  })
}
