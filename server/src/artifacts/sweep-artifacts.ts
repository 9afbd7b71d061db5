import { runEvery } from '../kit/run-every.ts'
import { findExpiredArtifacts } from './artifact-queries.ts'
import type { Store } from '../store/store.ts'
import type { Artifacts } from './artifacts.ts'

const everyMs = 600_000

/** Deletes expired artifacts. */
export async function sweepArtifacts(store: Store, artifacts: Artifacts, now: Date = new Date()): Promise<void> {
  for (;;) {
    const ids = await findExpiredArtifacts(store.db, now)
    if (ids.length === 0) return
    for (const id of ids) await artifacts.remove(id)
  }
}

/** Sweeps now and every ten minutes. Disposing waits for a sweep in progress. */
export function startSweepingArtifacts(
  store: Store,
  artifacts: Artifacts,
  onError: (error: unknown, action: string) => void,
): AsyncDisposable {
  return runEvery(everyMs, async () => sweepArtifacts(store, artifacts), {
    onError: (error) => onError(error, 'deleting expired artifacts'),
    isImmediate: true,
  })
}
