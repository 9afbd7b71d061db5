import { runEvery } from '../kit/run-every.ts'
import { findExpiredArtifacts } from './artifact-queries.ts'
import { databaseTime } from '../store/database-time.ts'
import type { Store } from '../store/store.ts'
import type { Artifacts } from './artifacts.ts'

const everyMs = 600_000

/** Deletes the artifacts that have expired at a time. Default: the time of the database. */
export async function sweepArtifacts(store: Store, artifacts: Artifacts, now?: Date): Promise<void> {
  const time = now ?? (await databaseTime(store.db))
  for (;;) {
    const ids = await findExpiredArtifacts(store.db, time)
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
