import { releaseChecks } from '../store/monitor-checks.ts'
import { sweepMonitors } from '../store/monitors.ts'
import { checkQueue } from './check-queue.ts'
import type { MonitorDeps } from './monitor-deps.ts'
import { Monitors } from './monitors.ts'
import { rescueChecks, runDue } from './run-due.ts'
import { runCheck } from './run-check.ts'

const checksAtOnce = 4
const tickMs = 10_000
const sweepMs = 3_600_000

/** Builds everything that watches pages, into `undo`, and begins what is due. */
export async function openMonitors(undo: AsyncDisposableStack, deps: MonitorDeps): Promise<Monitors> {
  const { store, queues, nodeId, onError } = deps
  // What this server held before it was started anew it cannot be working on.
  await releaseChecks(store.db, { nodeId })
  await queues.work(checkQueue, { concurrency: checksAtOnce }, async ({ id }, { signal }) => runCheck(deps, id, signal))
  let ticking = Promise.resolve()
  let isTicking = false
  const tick = (): void => {
    if (isTicking) return
    isTicking = true
    ticking = runDue(deps)
      .then(async () => rescueChecks(deps))
      .then(() => undefined)
      .catch((error: unknown) => onError(error, 'beginning the checks of monitors'))
      .finally(() => {
        isTicking = false
      })
  }
  const ticks = setInterval(tick, tickMs).unref()
  const sweeps = setInterval(() => {
    sweepMonitors(store.db).catch((error: unknown) => onError(error, 'removing old checks'))
  }, sweepMs).unref()
  undo.defer(async () => {
    clearInterval(ticks)
    clearInterval(sweeps)
    await ticking
  })
  tick()
  return new Monitors(deps)
}
