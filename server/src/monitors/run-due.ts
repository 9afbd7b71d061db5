import { insertCheck, findStrandedChecks } from '../store/monitor-checks.ts'
import { findDueMonitors, claimDueRun, type MonitorRow } from '../store/monitors.ts'
import { checkQueue } from './check-queue.ts'
import { estimateMonitor, type EstimateDeps } from './estimate.ts'
import type { MonitorDeps } from './monitor-deps.ts'
import { nextRun } from './next-run.ts'

const atOnce = 100

/** What begins checks. */
export type BeginDeps = Pick<MonitorDeps, 'store' | 'queues' | 'onError'> & EstimateDeps

/**
 * Begins the checks whose time has come, however long ago: one each, whatever was missed. Of several servers that try,
 * one succeeds. Answers how many were begun; those that overlap a running one are entered as skipped.
 */
export async function runDue(deps: BeginDeps, now: Date = new Date()): Promise<number> {
  let begun = 0
  for (const monitor of await findDueMonitors(deps.store.db, { now, limit: atOnce })) {
    try {
      if (await begin(deps, monitor, now)) begun += 1
    } catch (error) {
      // One that cannot be begun keeps no other from its time.
      deps.onError(error, `beginning a check of the monitor ${monitor.id}`)
    }
  }
  return begun
}

async function begin(deps: BeginDeps, monitor: MonitorRow, now: Date): Promise<boolean> {
  const { store, queues } = deps
  const { id: monitorId, teamId, nextRunAt } = monitor
  if (nextRunAt === undefined) return false
  return store.db.transaction().execute(async (db) => {
    if (!(await claimDueRun(db, { id: monitorId, nextRunAt }, nextRun(monitor, now)))) return false
    const estimatedCredits = estimateMonitor(deps, monitor)
    const facts = { monitorId, teamId, estimatedCredits, trigger: 'scheduled', scheduledFor: nextRunAt } as const
    const check = await insertCheck(db, { ...facts, status: 'queued' })
    if (check === undefined) {
      await insertCheck(db, { ...facts, status: 'skipped_overlap', finishedAt: now })
      return false
    }
    await queues.send(checkQueue, { id: check.id }, { db })
    return true
  })
}

/** Sends the checks again that lost their server, or were never begun. Answers how many. */
export async function rescueChecks({ store, queues }: Pick<BeginDeps, 'store' | 'queues'>): Promise<number> {
  const ids = await findStrandedChecks(store.db)
  for (const id of ids) await queues.send(checkQueue, { id }, { singletonKey: id })
  return ids.length
}
