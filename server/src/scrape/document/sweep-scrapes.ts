import type { Blobs } from '../../store/blobs.ts'
import { deleteOldScrapes } from '../../store/scrapes.ts'
import type { Store } from '../../store/store.ts'
import { cacheTtlMs } from './stored-scrapes.ts'

/** Dependencies of the sweep. */
export interface ScrapeSweepDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly onError: (error: unknown, what: string) => void
}

const intervalMs = 3_600_000

/** Deletes expired scrapes and their files, every hour. Disposing stops the sweep. */
export function startScrapeSweep(deps: ScrapeSweepDeps): Disposable {
  const timer = setInterval(() => {
    sweepScrapes(deps).catch((error: unknown) => deps.onError(error, 'removing old scrapes'))
  }, intervalMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
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
