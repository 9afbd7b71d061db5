import type { CheckStatus } from '../../contract/monitor-checks.ts'
import { BowlineError, isBowlineError } from '../../kit/errors.ts'
import { reserveCheck, settleCheck } from '../store/check-bills.ts'
import { claimCheck, releaseChecks, renewCheck, type CheckRow } from '../store/monitor-checks.ts'
import { listDonePages, recordPage, sumUpPages } from '../store/monitor-pages.ts'
import { findMonitor, type MonitorRow } from '../store/monitors.ts'
import { checkPage, hashUrl } from './check-page.ts'
import { definitionOf, type KnownTarget } from './definition.ts'
import { listUrls } from './list-urls.ts'
import type { MonitorParts } from './monitor-parts.ts'
import { tellEnd, tellPage } from './tell.ts'

/** A check at work. */
interface Run {
  readonly parts: MonitorParts
  readonly check: CheckRow
  readonly monitor: MonitorRow
  /** Aborts when the server stops, the lease is lost or the monitor is deleted. */
  readonly signal: AbortSignal
}

interface TargetResult {
  readonly targetId: string
  readonly type: KnownTarget['type']
  readonly pages: number
  readonly error?: string | undefined
}

const renewMs = 10_000
const pagesAtOnce = 4

/** How often a check is begun before it is given up: what kills a server must not do so for ever. */
const maxBegins = 10

/**
 * Does a check, or the rest of one whose server died, if nobody else does. Pages that were entered before are not done
 * again. When the signal aborts, it rejects with the reason and leaves the rest to whoever comes next.
 */
export const runCheck = async (parts: MonitorParts, checkId: string, stop: AbortSignal): Promise<void> => {
  const { store, nodeId, onError } = parts
  const check = await claimCheck(store.db, checkId, nodeId)
  if (check === undefined) return
  const lost = new AbortController()
  const signal = AbortSignal.any([stop, lost.signal])
  const renewal = setInterval(() => {
    renew(parts, check).catch((error: unknown) => {
      if (isBowlineError(error)) lost.abort(error)
      else onError(error, 'keeping the lease of a check')
    })
  }, renewMs).unref()
  try {
    await work({ parts, check, signal })
  } catch (error) {
    if (stop.aborted) await releaseChecks(store.db, check)
    if (!lost.signal.aborted) throw error
    await settleLost({ parts, check, signal }, error)
  } finally {
    clearInterval(renewal)
  }
}

/** Throws MONITOR_NOT_FOUND when the monitor was deleted, and CONFLICT when another server has the lease. */
const renew = async ({ store }: MonitorParts, check: CheckRow): Promise<void> => {
  if (!(await renewCheck(store.db, check))) throw new BowlineError('CONFLICT', 'Another server does this check')
  if ((await findMonitor(store.db, check.monitorId)) === undefined) throw deleted()
}

const deleted = (): BowlineError => new BowlineError('MONITOR_NOT_FOUND', 'The monitor was deleted')

const settleLost = async (run: Omit<Run, 'monitor'>, error: unknown): Promise<void> => {
  if (isBowlineError(error) && error.code === 'MONITOR_NOT_FOUND') await settle(run, undefined, [], error.message)
}

const work = async (run: Omit<Run, 'monitor'>): Promise<void> => {
  const { parts, check } = run
  const monitor = await findMonitor(parts.store.db, check.monitorId)
  if (monitor === undefined) return settle(run, undefined, [], deleted().message)
  if (check.fence > maxBegins)
    return settle(run, monitor, [], `It was begun ${maxBegins} times and never came to its end`)
  const credits = check.estimatedCredits
  if (!(await reserveCheck(parts.store.db, { id: check.id, teamId: check.teamId, credits }))) {
    return settle(run, monitor, [], `It takes ${credits} credits, and the team has less`, 'skipped_no_credits')
  }
  const results: TargetResult[] = []
  for (const target of definitionOf(monitor).targets) results.push(await checkTarget({ ...run, monitor }, target))
  await settle(run, monitor, results)
}

const checkTarget = async (run: Run, target: KnownTarget): Promise<TargetResult> => {
  const { parts, check, monitor, signal } = run
  const { id: targetId, type } = target
  try {
    const urls = await listUrls(target, { ...parts, monitorId: monitor.id, targetId, signal })
    const done = await listDonePages(parts.store.db, { checkId: check.id, targetId })
    const rest = urls.filter((url) => !done.has(hashUrl(url))).values()
    await Promise.all(Array.from({ length: pagesAtOnce }, async () => checkPages(run, target, rest)))
    return { targetId, type, pages: urls.length }
  } catch (error) {
    signal.throwIfAborted()
    if (!isBowlineError(error) || error.code === 'CONFLICT') throw error
    return { targetId, type, pages: 0, error: `${error.code}: ${error.message}` }
  }
}

/** One of several that take pages from the same list. */
const checkPages = async (run: Run, target: KnownTarget, urls: Iterator<string> & Iterable<string>): Promise<void> => {
  const { parts, check, monitor, signal } = run
  if (target.type === 'search') return
  for (const url of urls) {
    signal.throwIfAborted()
    const { page, state } = await checkPage(parts, { check, monitor, target, url, signal })
    signal.throwIfAborted()
    await parts.store.db.transaction().execute(async (db) => {
      if (!(await recordPage(db, check, page, state)))
        throw new BowlineError('CONFLICT', 'Another server does this check')
      await tellPage(parts, monitor, page, db)
    })
  }
}

/** Ends a check, bills it once and tells of it once, whatever happens to the server meanwhile. */
const settle = async (
  { parts, check }: Omit<Run, 'monitor'>,
  monitor: MonitorRow | undefined,
  results: readonly TargetResult[],
  error?: string,
  ending?: CheckStatus,
): Promise<void> => {
  await parts.store.db.transaction().execute(async (db) => {
    const { summary, credits } = await sumUpPages(db, check.id)
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
    await tellEnd(parts, monitor, { id: check.id, status, summary, error: why }, db)
    await parts.mailer?.enqueueCheck(db, monitor, { id: check.id, status, summary })
  })
}
