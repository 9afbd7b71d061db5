import { BowlineError } from 'bowline/kit/errors'
import { messageOf } from 'bowline/kit/message-of'
import { releaseLease, type Lease } from './lease-queries.ts'
import { commitVersion, pruneVersions, type ProfileVersionRow } from './profile-queries.ts'
import type { Store } from '../store/store.ts'
import { isStoreUnavailable } from '../store/unavailable.ts'
import { readArchive, storageUnavailable, writeArchive, type Archive, type ArchiveDeps } from './archives.ts'
import type { PendingSaves } from './pending-saves.ts'
import type { SessionCookiesJson, SaveRequest } from './save-request.ts'

/**
 * A profile in use, by its one writer or by a reader. Disposing releases the writer's lease, which
 * otherwise expires. Never rejects.
 */
export interface HeldProfile extends AsyncDisposable {
  readonly name: string
  readonly isWritable: boolean
  /** Version that was current on acquiring. `undefined`: nothing was saved yet. */
  readonly loadedVersion: number | undefined
  /**
   * Restores the version that was current on acquiring into an empty user-data-dir. Returns its
   * session cookies as JSON, or undefined if nothing was saved yet.
   */
  readonly restore: (userDataDir: string) => Promise<SessionCookiesJson | undefined>
  /**
   * Saves the user-data-dir of an exited browser as the new current version and releases the lease.
   * Throws PROFILE_LEASE_LOST or PROFILE_TOO_LARGE, and the profile stays unchanged. Throws
   * PROFILE_STORAGE_UNAVAILABLE or STORE_UNAVAILABLE if the storage or the database fails. This
   * node then keeps the data and the lease of a session, and saves the profile later.
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

const keptMessage = 'The changes are kept on the server and saved as soon as it responds'

/** Creates the handle of a profile at a version. Without a lease it is read-only. */
export function createHeldProfile(
  deps: HeldProfileDeps,
  name: string,
  version: ProfileVersionRow | undefined,
  lease: Lease | undefined,
): HeldProfile {
  return new Handle(deps, name, version, lease)
}

/** Parts of a profile that `overrideProfile` replaces. */
export interface ProfileOverrides extends Partial<Pick<HeldProfile, 'restore' | 'save'>> {
  readonly isWritable?: () => boolean
}

/** Returns a profile that behaves like the given one, except for the overrides. */
export function overrideProfile(
  profile: HeldProfile,
  {
    isWritable = () => profile.isWritable,
    restore = async (userDataDir) => profile.restore(userDataDir),
    save = async (request) => profile.save(request),
  }: ProfileOverrides,
): HeldProfile {
  return {
    name: profile.name,
    loadedVersion: profile.loadedVersion,
    get isWritable() {
      return isWritable()
    },
    restore,
    save,
    [Symbol.asyncDispose]: async () => profile[Symbol.asyncDispose](),
  }
}

class Handle implements HeldProfile {
  readonly name: string
  readonly isWritable: boolean
  readonly #deps: HeldProfileDeps
  readonly #version: ProfileVersionRow | undefined
  #lease: Lease | undefined

  constructor(deps: HeldProfileDeps, name: string, version: ProfileVersionRow | undefined, lease: Lease | undefined) {
    this.name = name
    this.isWritable = lease !== undefined
    this.#deps = deps
    this.#version = version
    this.#lease = lease
  }

  get loadedVersion(): number | undefined {
    return this.#version?.version
  }

  async restore(userDataDir: string): Promise<SessionCookiesJson | undefined> {
    return this.#version === undefined ? undefined : readArchive(this.#deps, this.#version, userDataDir)
  }

  async save(request: SaveRequest): Promise<ProfileVersionRow> {
    const { blobs, onLeaseEnd, onError } = this.#deps
    const lease = this.#lease
    if (lease === undefined) throw this.#leaseLost()
    const archive = await this.#store(lease, request)
    const saved = await this.#commit(lease, request, archive)
    if (saved === undefined) {
      await blobs.delete(archive.blob)
      throw this.#leaseLost()
    }
    onLeaseEnd(lease)
    this.#lease = undefined
    await pruneProfile(this.#deps, lease.profileId).catch((error: unknown) =>
      onError(error, `deleting old versions of profile ${lease.profileId}`),
    )
    return saved
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const lease = this.#lease
    if (lease === undefined) return
    this.#lease = undefined
    const { store, onLeaseEnd, onError } = this.#deps
    onLeaseEnd(lease)
    // If this fails, the lease expires. The error must not replace the reason why nothing was
    // saved.
    await releaseLease(store.db, lease).catch((error: unknown) =>
      onError(error, `releasing the lease of the profile "${this.name}"`),
    )
  }

  async #store(lease: Lease, request: SaveRequest): Promise<Archive> {
    const { pending } = this.#deps
    try {
      return await writeArchive(this.#deps, lease.profileId, request)
    } catch (error) {
      if (error instanceof BowlineError && !isStoreUnavailable(error)) throw error
      const isKept = await this.#keep(request, error, async () => pending.add(lease, this.name, request))
      const lostMessage = request.sessionId === undefined ? undefined : 'The changes are lost'
      throw storageUnavailable(error, isKept ? keptMessage : lostMessage)
    }
  }

  async #commit(lease: Lease, request: SaveRequest, archive: Archive): Promise<ProfileVersionRow | undefined> {
    const { store, pending } = this.#deps
    const { browser, sessionId } = request
    try {
      return await commitVersion(store.db, lease, { ...archive, browser, sessionId })
    } catch (cause) {
      // The commit may have succeeded, so the blob stays. The sweep deletes it if no version uses
      // it.
      if (!isStoreUnavailable(cause))
        throw new BowlineError('STORE_FAILED', 'The profile could not be saved', { cause })
      const isKept = await this.#keep(request, cause, async () => pending.addStored(lease, this.name, archive, request))
      throw isKept ? new BowlineError('STORE_UNAVAILABLE', `${messageOf(cause)}. ${keptMessage}`, { cause }) : cause
    }
  }

  /**
   * Keeps the data of a session to save it later, since it cannot be recreated. Returns whether it
   * was kept.
   */
  async #keep({ sessionId }: SaveRequest, cause: unknown, add: () => Promise<void>): Promise<boolean> {
    const { onError } = this.#deps
    onError(cause, `storing the profile "${this.name}"`)
    if (sessionId === undefined) return false
    try {
      await add()
    } catch (error) {
      onError(error, `keeping the profile "${this.name}" to save it later`)
      return false
    }
    // The pending save releases the lease.
    this.#lease = undefined
    return true
  }

  #leaseLost(): BowlineError {
    return new BowlineError(
      'PROFILE_LEASE_LOST',
      `The profile "${this.name}" was not saved: this session lost its write lease`,
    )
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
