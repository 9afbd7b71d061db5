import { BowlineError } from 'bowline/kit/errors'
import { releaseLease, type Lease } from '../store/profile-leases.ts'
import { commitVersion, pruneVersions, type ProfileVersionRow } from '../store/profiles.ts'
import type { Store } from '../store/store.ts'
import { readArchive, storageAway, writeArchive, type ArchiveDeps } from './archives.ts'
import type { PendingSaves } from './pending-saves.ts'
import type { Extras, SaveRequest } from './save-request.ts'

/** A profile in use: by its one writer, or by a reader. Disposing gives the writer's lease back. */
export interface OpenProfile extends AsyncDisposable {
  readonly name: string
  readonly isWritable: boolean
  /** Fills an empty user-data-dir with the version that was current when it was opened. Answers its extras; undefined when nothing was saved yet. */
  readonly restore: (userDataDir: string) => Promise<Extras | undefined>
  /**
   * Saves the user-data-dir of an ended browser as the new current version and gives the lease back. Throws
   * PROFILE_LEASE_LOST, PROFILE_TOO_LARGE; then the profile is as it was. Throws PROFILE_STORAGE_UNAVAILABLE, too: then
   * what a session leaves is kept on this node, with the lease, and saved later.
   */
  readonly save: (request: SaveRequest) => Promise<ProfileVersionRow>
}

/** What an open profile works with. */
export interface OpenProfileDeps extends ArchiveDeps {
  readonly store: Store
  /** Versions that are kept of each profile. */
  readonly keepVersions: number
  /** Keeps what could not be stored. */
  readonly pending: PendingSaves
  /** Forgets a lease that ended. */
  readonly onLeaseEnd: (lease: Lease) => void
  readonly onError: (error: unknown, what: string) => void
}

/** Opens a profile at a version. Without a lease it can only be read. */
export function openProfile(
  deps: OpenProfileDeps,
  name: string,
  version: ProfileVersionRow | undefined,
  lease: Lease | undefined,
): OpenProfile {
  const { store, blobs, pending, onError } = deps
  let held = lease

  const letGo = async (): Promise<void> => {
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
      throw error instanceof BowlineError ? error : await keepForLater(request, error)
    })
    const saved = await commitVersion(store.db, held, {
      ...archive,
      browser: request.browser,
      sessionId: request.sessionId,
    }).catch(async (error: unknown) => {
      // Whether it was committed is not known, so the blob stays; the sweep removes it when nobody needs it.
      throw new BowlineError('STORE_FAILED', 'The profile could not be saved', { cause: error })
    })
    if (saved === undefined) {
      await blobs.delete(archive.blob)
      throw leaseLost(name)
    }
    deps.onLeaseEnd(held)
    held = undefined
    await pruneProfile(deps, profileId).catch((error: unknown) =>
      onError(error, `tidying the versions of profile ${profileId}`),
    )
    return saved
  }

  /** Keeps what a session leaves, since nobody can repeat it, and returns the error that says so. */
  const keepForLater = async (request: SaveRequest, cause: unknown): Promise<BowlineError> => {
    onError(cause, `storing the profile "${name}"`)
    if (held === undefined || request.sessionId === undefined) return storageAway(cause)
    try {
      await pending.add(held, name, request)
    } catch (error) {
      onError(error, `keeping the profile "${name}" for later`)
      return storageAway(cause)
    }
    // Whoever saves it later gives the lease back.
    held = undefined
    return storageAway(cause, 'The changes are kept on the server and saved as soon as it does')
  }

  return {
    name,
    isWritable: lease !== undefined,
    restore: async (userDataDir) => (version === undefined ? undefined : readArchive(deps, version, userDataDir)),
    save,
    [Symbol.asyncDispose]: letGo,
  }
}

/** Deletes the versions of a profile that are no longer kept. */
export async function pruneProfile(
  { store, blobs, keepVersions }: Pick<OpenProfileDeps, 'store' | 'blobs' | 'keepVersions'>,
  profileId: string,
): Promise<void> {
  const blobsToDelete = await pruneVersions(store.db, profileId, keepVersions)
  await Promise.all(blobsToDelete.map(async (blob) => blobs.delete(blob)))
}

function leaseLost(name: string): BowlineError {
  return new BowlineError(
    'PROFILE_LEASE_LOST',
    `The profile "${name}" was not saved: this session no longer has the right to write it`,
  )
}
