import { runEvery } from '../kit/run-every.ts'
import { releaseChecks } from './queries/checks.ts'
import { sweepMonitors } from './queries/monitors.ts'
import { checkQueue } from './check-queue.ts'
import type { MonitorDeps } from './monitor-deps.ts'
import { Monitors } from './monitors.ts'
import { requeueStrandedChecks, startDueChecks } from './start-due-checks.ts'
import { runCheck } from './run-check.ts'

/** Checks of this server at a time. Those of one team take at most half. */
const checksAtOnce = 8
const tickMs = 10_000
const sweepMs = 3_600_000

/** Starts running checks on schedule on this server. `resources` stops it. */
export async function openMonitors(resources: AsyncDisposableStack, deps: MonitorDeps): Promise<Monitors> {
  const { store, queues, nodeId, onError } = deps
  // Leases from before a restart are stale.
  await releaseChecks(store.db, { nodeId })
  await queues.work(checkQueue, { concurrency: checksAtOnce }, async ({ id }, { signal }) => runCheck(deps, id, signal))
  resources.use(
    runEvery(sweepMs, async () => sweepMonitors(store.db), {
      onError: (error) => onError(error, 'deleting old checks'),
    }),
  )
  const startChecks = async (): Promise<void> => {
    await startDueChecks(deps)
    await requeueStrandedChecks(deps)
  }
  resources.use(
    runEvery(tickMs, startChecks, {
      onError: (error) => onError(error, 'starting due checks of monitors'),
      isImmediate: true,
    }),
  )
  return new Monitors(deps)
}
