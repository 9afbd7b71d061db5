import type { Blobs } from '../blobs/blobs.ts'
import type { Store } from '../store/store.ts'
import { reencryptArchive } from './archives.ts'
import type { ProfileKey } from './profile-key.ts'
import { listVersionsOfKeys, replaceBlob, type StoredVersion } from './profile-queries.ts'

/** Dependencies of `reencryptProfiles`. */
export interface ReencryptDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly key: ProfileKey
  /** Called for each version that cannot be encrypted again. It keeps its earlier key. */
  readonly onError: (error: unknown, version: StoredVersion) => void
}

/**
 * Encrypts the versions of earlier keys with the current key, one after another, and returns their
 * number. Each is replaced by a single update, so that an interruption and other servers that do
 * the same are harmless. The hourly sweep deletes the earlier blobs. Aborting `signal` stops it.
 */
export async function reencryptProfiles(deps: ReencryptDeps, signal: AbortSignal): Promise<number> {
  const { store, blobs, key, onError } = deps
  const previousIds = (key.previous ?? []).map(({ id }) => id)
  let count = 0
  for (const version of await listVersionsOfKeys(store.db, previousIds)) {
    if (signal.aborted) break
    try {
      const blob = await reencryptArchive({ blobs, key }, version, signal)
      if (blob === undefined) continue
      if (await replaceBlob(store.db, version, { blob, keyId: key.id })) count += 1
      else await blobs.delete(blob)
    } catch (error) {
      if (!signal.aborted) onError(error, version)
    }
  }
  return count
}
