import { BowlineError } from 'bowline/kit/errors'
import { releaseLease, type Lease } from './lease-queries.ts'
import { commitVersion, pruneVersions, type ProfileVersionRow } from './profile-queries.ts'
import type { Store } from '../store/store.ts'
import { readArchive, storageUnavailable, writeArchive, type ArchiveDeps } from './archives.ts'
import type { PendingSaves } from './pending-saves.ts'
import type { SessionCookiesJson, SaveRequest } from './save-request.ts'

/** A profile in use, by its one writer or by a reader. Disposing releases the writer's lease. */
export interface HeldProfile extends AsyncDisposable {
  readonly name: string
  readonly isWritable: boolean
  /**
   * Restores the version that was current on acquiring into an empty user-data-dir. Returns its
   * session cookies as JSON, or undefined if nothing was saved yet.
   */
  readonly restore: (userDataDir: string) => Promise<SessionCookiesJson | undefined>
  /**
   * Saves the user-data-dir of an exited browser as the new current version and releases the lease.
   * Throws PROFILE_LEASE_LOST or PROFILE_TOO_LARGE, and the profile stays unchanged. Throws
   * PROFILE_STORAGE_UNAVAILABLE if the storage fails. This node then keeps the data and the lease,
   * and saves the profile later.
   */
  readonly save: (request: SaveRequest) => Promise<ProfileVersionRow>
}

/** Dependencies of `createHeldProfile`. */
export interface HeldProfileDeps extends ArchiveDeps {
  readonly store: Store
  /** Number of versions to keep of each profile. */
  readonly keepVersions: number
  /** Stores profiles later that could not be stored at the end of a session. */
  readonly pending: PendingSaves
  /** Called when a lease has ended. */
  readonly onLeaseEnd: (lease: Lease) => void
  readonly onError: (error: unknown, action: string) => void
}

/** Creates the handle of a profile at a version. Without a lease it is read-only. */
export function createHeldProfile(
  deps: HeldProfileDeps,
  name: string,
  version: ProfileVersionRow | undefined,
  lease: Lease | undefined,
): HeldProfile {
  const { store, blobs, pending, onError } = deps
  let held = lease

  const release = async (): Promise<void> => {
    if (held === undefined) return
    const lease = held
    held = undefined
    deps.onLeaseEnd(lease)
    await releaseLease(store.db, lease)
  }

  const save = async (request: SaveRequest): Promise<ProfileVersionRow> => {
    if (held === undefined) throw leaseLost(name)
    const { profileId } = held
    const archive = await writeArchive(deps, profileId, request).catch(async (error: unknown) => {
      throw error instanceof BowlineError ? error : await saveLater(request, error)
    })
    const saved = await commitVersion(store.db, held, {
      ...archive,
      browser: request.browser,
      sessionId: request.sessionId,
    }).catch(async (error: unknown) => {
      // The commit may have succeeded, so the blob stays. The sweep deletes it if no version uses
      // it.
      throw new BowlineError('STORE_FAILED', 'The profile could not be saved', { cause: error })
    })
    if (saved === undefined) {
      await blobs.delete(archive.blob)
      throw leaseLost(name)
    }
    deps.onLeaseEnd(held)
    held = undefined
    await pruneProfile(deps, profileId).catch((error: unknown) =>
      onError(error, `deleting old versions of profile ${profileId}`),
    )
    return saved
  }

  /**
   * Keeps the data of a session to save it later, since it cannot be recreated. Returns the error
   * to throw.
   */
  const saveLater = async (request: SaveRequest, cause: unknown): Promise<BowlineError> => {
    onError(cause, `storing the profile "${name}"`)
    if (held === undefined || request.sessionId === undefined) return storageUnavailable(cause)
    try {
      await pending.add(held, name, request)
    } catch (error) {
      onError(error, `keeping the profile "${name}" to save it later`)
      return storageUnavailable(cause)
    }
    // The pending save releases the lease.
    held = undefined
    return storageUnavailable(cause, 'The changes are kept on the server and saved as soon as it responds')
  }

  return {
    name,
    isWritable: lease !== undefined,
    restore: async (userDataDir) => (version === undefined ? undefined : readArchive(deps, version, userDataDir)),
    save,
    [Symbol.asyncDispose]: release,
  }
}

/** Deletes the versions of a profile beyond `keepVersions`. */
export async function pruneProfile(
  { store, blobs, keepVersions }: Pick<HeldProfileDeps, 'store' | 'blobs' | 'keepVersions'>,
  profileId: string,
): Promise<void> {
  const blobsToDelete = await pruneVersions(store.db, profileId, keepVersions)
  await Promise.all(blobsToDelete.map(async (blob) => blobs.delete(blob)))
}

function leaseLost(name: string): BowlineError {
  return new BowlineError(
    'PROFILE_LEASE_LOST',
    `The profile "${name}" was not saved: this session lost its write lease`,
  )
}
