import type { Blobs } from '../../store/blobs.ts'
import { deleteOldScrapes } from '../../store/scrapes.ts'
import type { Store } from '../../store/store.ts'
import { cacheLifeMs } from './cache.ts'

/** What old scrapes are removed from. */
export interface ScrapeSweepDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly onError: (error: unknown, what: string) => void
}

const everyMs = 3_600_000

/** Removes scrapes and their files every hour, once nobody may read them any more. Disposing stops that. */
export function startSweepingScrapes(deps: ScrapeSweepDeps): Disposable {
  const timer = setInterval(() => {
    sweepScrapes(deps).catch((error: unknown) => deps.onError(error, 'removing old scrapes'))
  }, everyMs).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Removes the scrapes made before a time. Default: those that no answer may be made from any more. */
export async function sweepScrapes(
  { store, blobs }: Pick<ScrapeSweepDeps, 'store' | 'blobs'>,
  before: Date = new Date(Date.now() - cacheLifeMs),
): Promise<void> {
  for (;;) {
    const { withBlobs, isDone } = await deleteOldScrapes(store.db, before)
    for (const id of withBlobs) for await (const key of blobs.list(`scrapes/${id}`)) await blobs.delete(key)
    if (isDone) return
  }
}
