import { BowlineError } from 'bowline/kit/errors'
import { findHolder, releaseLease, renewLeases, takeLease, type Lease } from './lease-queries.ts'
import {
  deleteProfile,
  findCurrentVersion,
  listProfiles,
  listVersions,
  rollBack,
  type ProfileName,
  type ProfileSummary,
  type ProfileVersionRow,
} from './profile-queries.ts'
import { createHeldProfile, pruneProfile, type HeldProfile, type HeldProfileDeps } from './held-profile.ts'
import { lockedForChange, profileLocked } from './profile-locked.ts'
import { PendingSaves, type ProfileWriters } from './pending-saves.ts'

/** Dependencies of `Profiles`. */
export interface ProfilesDeps extends Omit<HeldProfileDeps, 'onLeaseEnd' | 'pending'> {
  readonly nodeId: string
  /** Data directory of this node, for pending saves. */
  readonly dataDir: string
  readonly sessions: ProfileWriters
}

/** A request to acquire a profile. */
export interface AcquireRequest extends ProfileName {
  readonly isWritable: boolean
  /** Named in the error for others who find the profile locked. Undefined: an import. */
  readonly sessionId: string | undefined
}

/**
 * The profiles of all teams. Each has at most one writer at a time and any number of readers.
 * Disposing stops pending saves.
 */
export class Profiles implements AsyncDisposable {
  readonly #deps: ProfilesDeps
  readonly #leases: Map<string, Lease>
  readonly #pending: PendingSaves

  private constructor(deps: ProfilesDeps, leases: Map<string, Lease>, pending: PendingSaves) {
    this.#deps = deps
    this.#leases = leases
    this.#pending = pending
  }

  static async create(deps: ProfilesDeps): Promise<Profiles> {
    const leases = new Map<string, Lease>()
    const pending = await PendingSaves.open({
      ...deps,
      onLease: ({ profileId, fence }) => void leases.set(keyOf({ profileId, fence }), { profileId, fence }),
      onLeaseEnd: (lease) => void leases.delete(keyOf(lease)),
      onSaved: async (profileId) => pruneProfile(deps, profileId),
    })
    return new Profiles(deps, leases, pending)
  }

  /**
   * Resumes the pending saves of a previous run of this node. Called before any profile can be
   * acquired.
   */
  async resumePending(): Promise<void> {
    await this.#pending.resume()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pending[Symbol.asyncDispose]()
  }

  /**
   * Acquires a profile for a session. Throws PROFILE_LOCKED if it is acquired for writing while
   * another session writes it.
   */
  async acquire({ teamId, name, isWritable, sessionId }: AcquireRequest): Promise<HeldProfile> {
    const { store, nodeId } = this.#deps
    const pending = this.#pending
    const deps = { ...this.#deps, pending, onLeaseEnd: (lease: Lease) => void this.#leases.delete(keyOf(lease)) }
    if (!isWritable)
      return createHeldProfile(deps, name, await findCurrentVersion(store.db, { teamId, name }), undefined)
    const taken = await takeLease(store.db, { teamId, name, nodeId, sessionId })
    if ('holder' in taken) throw profileLocked(name, taken.holder)
    const lease = { profileId: taken.profile.id, fence: taken.profile.fence }
    this.#leases.set(keyOf(lease), lease)
    try {
      const isNew = taken.profile.currentVersion === undefined
      // Read after taking the lease, so that it includes the previous writer's last save.
      const version = isNew ? undefined : await findCurrentVersion(store.db, { teamId, name })
      return createHeldProfile(deps, name, version, lease)
    } catch (error) {
      // Every heartbeat would renew the lease and lock out other writers as long as this server
      // runs.
      deps.onLeaseEnd(lease)
      // If this fails, the lease expires. The original error is thrown.
      await releaseLease(store.db, lease).catch(() => undefined)
      throw error
    }
  }

  /** Renews the leases of this node. Called with each heartbeat. */
  async renewLeases(): Promise<void> {
    await renewLeases(this.#deps.store.heartbeatDb, [...this.#leases.values()])
  }

  /** Lists the profiles of a team by name. */
  async list(teamId: string): Promise<readonly ProfileSummary[]> {
    return listProfiles(this.#deps.store.db, { teamId })
  }

  /** Finds a profile. Throws PROFILE_NOT_FOUND. */
  async get({ teamId, name }: ProfileName): Promise<ProfileSummary> {
    const [profile] = await listProfiles(this.#deps.store.db, { teamId, name })
    if (profile === undefined) throw new BowlineError('PROFILE_NOT_FOUND', `Profile "${name}" not found`)
    return profile
  }

  /** Lists the versions of a profile, newest first. Throws PROFILE_NOT_FOUND. */
  async versions(profile: ProfileName): Promise<readonly ProfileVersionRow[]> {
    const { id } = await this.get(profile)
    return listVersions(this.#deps.store.db, id)
  }

  /** Makes an earlier version the current one. Throws PROFILE_NOT_FOUND or PROFILE_LOCKED. */
  async rollBack(profile: ProfileName, version: number): Promise<ProfileSummary> {
    await this.#assertUnlocked(profile)
    if (await rollBack(this.#deps.store.db, profile, version)) return this.get(profile)
    await this.#assertUnlocked(profile)
    throw new BowlineError('PROFILE_NOT_FOUND', `Profile "${profile.name}" has no version ${version}`, {
      hint: `\`bowline profiles versions ${profile.name}\` lists its versions.`,
    })
  }

  /** Deletes a profile with all its versions. Throws PROFILE_NOT_FOUND or PROFILE_LOCKED. */
  async delete(profile: ProfileName): Promise<void> {
    const { store, blobs, onError } = this.#deps
    await this.#assertUnlocked(profile)
    const blobsToDelete = await deleteProfile(store.db, profile)
    if (blobsToDelete === undefined) return this.#assertUnlocked(profile)
    await Promise.all(blobsToDelete.map(async (blob) => blobs.delete(blob))).catch((error: unknown) =>
      // The sweep retries.
      onError(error, `deleting the versions of a profile`),
    )
  }

  async #assertUnlocked(profile: ProfileName): Promise<void> {
    await this.get(profile)
    const holder = await findHolder(this.#deps.store.db, profile)
    if (holder !== undefined) throw lockedForChange(profileLocked(profile.name, holder))
  }
}

function keyOf({ profileId, fence }: Lease): string {
  return `${profileId} ${fence}`
}
