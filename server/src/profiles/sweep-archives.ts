import { timeOfUuid } from 'bowline/kit/ids'
import { runEvery } from '../kit/run-every.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Store } from '../store/store.ts'
import { findUsedBlobs } from './profile-queries.ts'
import { archiveFolder } from './archives.ts'

/** Age after which a blob that no version uses was left behind by a failed save. */
const orphanAgeMs = 60 * 60_000

const sweepEveryMs = 60 * 60_000

/** Deletes archives older than an hour that no version uses. Returns their number. */
export async function sweepArchives(
  { store, blobs }: { readonly store: Store; readonly blobs: Blobs },
  nowMs: number = Date.now(),
): Promise<number> {
  const old: string[] = []
  for await (const blob of blobs.list(archiveFolder)) {
    const createdAtMs = timeOfUuid(blob.split('/').at(1) ?? '')
    if (createdAtMs !== undefined && nowMs - createdAtMs > orphanAgeMs) old.push(blob)
  }
  const used = await findUsedBlobs(store.db, old)
  const orphans = old.filter((blob) => !used.has(blob))
  await Promise.all(orphans.map(async (blob) => blobs.delete(blob)))
  return orphans.length
}

/** Sweeps now and every hour. Disposing waits for a sweep in progress. */
export function startSweeping(deps: {
  readonly store: Store
  readonly blobs: Blobs
  readonly onError: (error: unknown, action: string) => void
}): AsyncDisposable {
  return runEvery(sweepEveryMs, async () => sweepArchives(deps), {
    onError: (error) => deps.onError(error, 'deleting unused profile archives'),
    isImmediate: true,
  })
}
