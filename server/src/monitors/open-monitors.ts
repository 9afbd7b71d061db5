import { releaseChecks } from '../store/monitor-checks.ts'
import { sweepMonitors } from '../store/monitors.ts'
import { checkQueue } from './check-queue.ts'
import type { MonitorDeps } from './monitor-deps.ts'
import { Monitors } from './monitors.ts'
import { requeueStrandedChecks, startDueChecks } from './start-due-checks.ts'
import { runCheck } from './run-check.ts'

const checksAtOnce = 4
const tickMs = 10_000
const sweepMs = 3_600_000

/** Starts running checks on schedule on this server. `resources` stops it. */
export async function openMonitors(resources: AsyncDisposableStack, deps: MonitorDeps): Promise<Monitors> {
  const { store, queues, nodeId, onError } = deps
  // Leases from before a restart are stale.
  await releaseChecks(store.db, { nodeId })
  await queues.work(checkQueue, { concurrency: checksAtOnce }, async ({ id }, { signal }) => runCheck(deps, id, signal))
  let ticking = Promise.resolve()
  let isTicking = false
  const tick = (): void => {
    if (isTicking) return
    isTicking = true
    ticking = startDueChecks(deps)
      .then(async () => requeueStrandedChecks(deps))
      .then(() => undefined)
      .catch((error: unknown) => onError(error, 'starting due checks of monitors'))
      .finally(() => {
        isTicking = false
      })
  }
  const ticks = setInterval(tick, tickMs).unref()
  const sweeps = setInterval(() => {
    sweepMonitors(store.db).catch((error: unknown) => onError(error, 'deleting old checks'))
  }, sweepMs).unref()
  resources.defer(async () => {
    clearInterval(ticks)
    clearInterval(sweeps)
    await ticking
  })
  tick()
  return new Monitors(deps)
}
