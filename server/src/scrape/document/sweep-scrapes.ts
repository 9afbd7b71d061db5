import { runEvery } from '../../kit/run-every.ts'
import type { Blobs } from '../../blobs/blobs.ts'
import { deleteOldScrapes } from '../queries/scrapes.ts'
import type { Store } from '../../store/store.ts'
import { cacheTtlMs } from './stored-scrapes.ts'

/** Dependencies of the sweep. */
export interface ScrapeSweepDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly onError: (error: unknown, action: string) => void
}

const intervalMs = 3_600_000

/** Deletes expired scrapes and their files, every hour. Disposing stops the sweep. */
export function startScrapeSweep(deps: ScrapeSweepDeps): AsyncDisposable {
  return runEvery(intervalMs, async () => sweepScrapes(deps), {
    onError: (error) => deps.onError(error, 'removing old scrapes'),
  })
}

/** Deletes scrapes made before a time. Default: those older than the cache lifetime. */
export async function sweepScrapes(
  { store, blobs }: Pick<ScrapeSweepDeps, 'store' | 'blobs'>,
  before: Date = new Date(Date.now() - cacheTtlMs),
): Promise<void> {
  for (;;) {
    const { withBlobs, isDone } = await deleteOldScrapes(store.db, before)
    for (const id of withBlobs) for await (const key of blobs.list(`scrapes/${id}`)) await blobs.delete(key)
    if (isDone) return
  }
}
