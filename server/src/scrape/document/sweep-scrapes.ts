import { dayMs } from 'bowline/kit/day-ms'
import { isUuid, timeOfUuid } from 'bowline/kit/ids'
import { runEvery } from '../../kit/run-every.ts'
import type { Blobs } from '../../blobs/blobs.ts'
import { deleteOldScrapes, findUnusedScrapeIds } from '../queries/scrapes.ts'
import { databaseTime, databaseTimeAgo } from '../../store/database-time.ts'
import type { Store } from '../../store/store.ts'
import { scrapeFolder } from './scrape-files.ts'
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
  before?: Date,
): Promise<void> {
  const limit = before ?? (await databaseTimeAgo(store.db, cacheTtlMs))
  for (;;) {
    const { withBlobs, isDone } = await deleteOldScrapes(store.db, limit)
    for (const id of withBlobs) await deleteFiles(blobs, id)
    if (isDone) return
  }
}

/** Age of a scrape whose files are deleted if it was never stored, because its server crashed. */
const orphanAgeMs = cacheTtlMs + dayMs

/** Scrapes that are looked up at once. */
const batchSize = 500

/** Deletes files of scrapes that were never stored. Returns the number of these scrapes. */
export async function sweepOrphanedFiles(
  { store, blobs }: Pick<ScrapeSweepDeps, 'store' | 'blobs'>,
  { nowMs, signal }: { readonly nowMs?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const before = (nowMs ?? (await databaseTime(store.db)).getTime()) - orphanAgeMs
  const old = new Set<string>()
  for await (const key of blobs.list(scrapeFolder)) {
    signal?.throwIfAborted()
    const id = key.split('/').at(1) ?? ''
    if (isUuid(id) && (timeOfUuid(id) ?? Infinity) < before) old.add(id)
  }
  const ids = [...old]
  let count = 0
  for (let from = 0; from < ids.length; from += batchSize) {
    for (const id of await findUnusedScrapeIds(store.db, ids.slice(from, from + batchSize))) {
      signal?.throwIfAborted()
      await deleteFiles(blobs, id)
      count += 1
    }
  }
  return count
}

async function deleteFiles(blobs: Blobs, id: string): Promise<void> {
  for await (const key of blobs.list(`${scrapeFolder}/${id}`)) await blobs.delete(key)
}
