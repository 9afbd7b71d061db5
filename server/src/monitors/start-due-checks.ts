import { insertCheck, findStrandedChecks } from './queries/checks.ts'
import { findDueMonitors, findMonitor, claimDueRun, type DueMonitor } from './queries/monitors.ts'
import { checkQueue } from './check-queue.ts'
import { estimateMonitor, type EstimateDeps } from './estimate.ts'
import type { MonitorDeps } from './monitor-deps.ts'
import { databaseTime } from '../store/database-time.ts'
import { nextRun } from './next-run.ts'

const batchSize = 100

/** Dependencies for starting scheduled checks. */
export type StartChecksDeps = Pick<MonitorDeps, 'store' | 'queues' | 'metrics' | 'onError'> & EstimateDeps

/**
 * Starts due checks, one per monitor, even if several were missed. If several servers try, one
 * of them succeeds. Returns the number of checks started. A check that would overlap a running one
 * is stored as skipped. `at` defaults to the time of the database.
 */
export async function startDueChecks(deps: StartChecksDeps, at?: Date): Promise<number> {
  const now = at ?? (await databaseTime(deps.store.db))
  let started = 0
  for (const due of await findDueMonitors(deps.store.db, { now, limit: batchSize })) {
    try {
      if (await startDueCheck(deps, due, now)) started += 1
    } catch (error) {
      // A check that cannot start must not block the others.
      deps.onError(error, `starting a check of the monitor ${due.id}`)
    }
  }
  return started
}

async function startDueCheck(deps: StartChecksDeps, due: DueMonitor, now: Date): Promise<boolean> {
  const { store, queues } = deps
  const monitor = await findMonitor(store.db, due.id)
  if (monitor === undefined) return false
  const { id: monitorId, teamId } = monitor
  return store.db.transaction().execute(async (db) => {
    if (!(await claimDueRun(db, due, nextRun(monitor, now)))) return false
    const estimatedCredits = estimateMonitor(deps, monitor)
    const fields = { monitorId, teamId, estimatedCredits, trigger: 'scheduled', scheduledFor: due.nextRunAt } as const
    const check = await insertCheck(db, { ...fields, status: 'queued' })
    if (check === undefined) {
      await insertCheck(db, { ...fields, status: 'skipped_overlap', finishedAt: now })
      deps.metrics?.increment('bowline_monitor_checks_total', { status: 'skipped_overlap' })
      return false
    }
    await queues.send(checkQueue, { id: check.id }, { db, teamId })
    return true
  })
}

/** Requeues checks whose server died, or that never started. Returns their number. */
export async function requeueStrandedChecks({
  store,
  queues,
}: Pick<StartChecksDeps, 'store' | 'queues'>): Promise<number> {
  const checks = await findStrandedChecks(store.db)
  for (const { id, teamId } of checks) await queues.send(checkQueue, { id }, { singletonKey: id, teamId })
  return checks.length
}
