import { insertCheck, findStrandedChecks } from '../store/monitor-checks.ts'
import { findDueMonitors, takeDueRun, type MonitorRow } from '../store/monitors.ts'
import { checkQueue } from './check-queue.ts'
import { estimateMonitor, type EstimateParts } from './estimate.ts'
import type { MonitorParts } from './monitor-parts.ts'
import { nextRun } from './next-run.ts'

const atOnce = 100

/** What begins checks. */
export type BeginParts = Pick<MonitorParts, 'store' | 'jobs' | 'onError'> & EstimateParts

/**
 * Begins the checks whose time has come, however long ago: one each, whatever was missed. Of several servers that try,
 * one succeeds. Answers how many were begun; those that overlap a running one are entered as skipped.
 */
export async function runDue(parts: BeginParts, now: Date = new Date()): Promise<number> {
  let begun = 0
  for (const monitor of await findDueMonitors(parts.store.db, { now, limit: atOnce })) {
    try {
      if (await begin(parts, monitor, now)) begun += 1
    } catch (error) {
      // One that cannot be begun keeps no other from its time.
      parts.onError(error, `beginning a check of the monitor ${monitor.id}`)
    }
  }
  return begun
}

async function begin(parts: BeginParts, monitor: MonitorRow, now: Date): Promise<boolean> {
  const { store, jobs } = parts
  const { id: monitorId, teamId, nextRunAt } = monitor
  if (nextRunAt === undefined) return false
  return store.db.transaction().execute(async (db) => {
    if (!(await takeDueRun(db, { id: monitorId, nextRunAt }, nextRun(monitor, now)))) return false
    const estimatedCredits = estimateMonitor(parts, monitor)
    const facts = { monitorId, teamId, estimatedCredits, trigger: 'scheduled', scheduledFor: nextRunAt } as const
    const check = await insertCheck(db, { ...facts, status: 'queued' })
    if (check === undefined) {
      await insertCheck(db, { ...facts, status: 'skipped_overlap', finishedAt: now })
      return false
    }
    await jobs.send(checkQueue, { id: check.id }, { db })
    return true
  })
}

/** Sends the checks again that lost their server, or were never begun. Answers how many. */
export async function rescueChecks({ store, jobs }: Pick<BeginParts, 'store' | 'jobs'>): Promise<number> {
  const ids = await findStrandedChecks(store.db)
  for (const id of ids) await jobs.send(checkQueue, { id }, { singletonKey: id })
  return ids.length
}
