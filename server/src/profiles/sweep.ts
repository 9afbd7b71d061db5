import type { Blobs } from '../store/blobs.ts'
import type { Store } from '../store/store.ts'
import { findUsedBlobs } from '../store/profiles.ts'
import { archiveFolder } from './archives.ts'

/** A blob of this age that no version names was left by a save that did not come to its end. */
const orphanAgeMs = 60 * 60_000

const sweepEveryMs = 60 * 60_000

/** Deletes archives that no version needs and that are older than an hour. Answers how many. */
export async function sweepArchives(
  { store, blobs }: { readonly store: Store; readonly blobs: Blobs },
  nowMs: number = Date.now(),
): Promise<number> {
  const old: string[] = []
  for await (const blob of blobs.list(archiveFolder)) {
    const madeAtMs = timeOf(blob)
    if (madeAtMs !== undefined && nowMs - madeAtMs > orphanAgeMs) old.push(blob)
  }
  const used = await findUsedBlobs(store.db, old)
  const orphans = old.filter((blob) => !used.has(blob))
  await Promise.all(orphans.map(async (blob) => blobs.delete(blob)))
  return orphans.length
}

/** Sweeps now and every hour. Disposing waits for a sweep that runs. */
export function startSweeping(deps: {
  readonly store: Store
  readonly blobs: Blobs
  readonly onError: (error: unknown, what: string) => void
}): AsyncDisposable {
  const sweep = async (): Promise<void> => {
    await sweepArchives(deps).catch((error: unknown) => deps.onError(error, 'sweeping archives of profiles'))
  }
  let running = sweep()
  const timer = setInterval(() => {
    running = running.then(sweep)
  }, sweepEveryMs).unref()
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      await running
    },
  }
}

/** When a blob was begun: its name is a UUID of version 7, whose first 48 bits are milliseconds. */
function timeOf(blob: string): number | undefined {
  const [, high = '', low = ''] = /^[^/]+\/([0-9a-f]{8})-([0-9a-f]{4})-7/.exec(blob) ?? []
  return high === '' ? undefined : Number.parseInt(high + low, 16)
}
