import { BowlineError } from 'bowline/kit/errors'
import {
  findHolder,
  releaseLease,
  renewLeases,
  takeLease,
  type Lease,
  type LeaseHolder,
} from '../store/profile-leases.ts'
import {
  deleteProfile,
  findCurrentVersion,
  listProfiles,
  listVersions,
  rollBack,
  type ProfileName,
  type ProfileSummary,
  type ProfileVersionRow,
} from '../store/profiles.ts'
import { openProfile, pruneProfile, type OpenProfile, type OpenProfileDeps } from './open-profile.ts'
import { PendingSaves } from './pending-saves.ts'

/** What the profiles of a node are built from. */
export interface ProfilesDeps extends Omit<OpenProfileDeps, 'onLeaseEnd' | 'pending'> {
  readonly nodeId: string
  /** Data directory of this node, for what could not be stored. */
  readonly dataDir: string
}

/** Who opens a profile, and whether to write it. */
export interface OpenRequest extends ProfileName {
  readonly isWritable: boolean
  /** Named to those who find the profile locked. Undefined: an import. */
  readonly sessionId: string | undefined
}

/** Most seconds that a caller is told to wait for a locked profile. */
const longestRetryAfterSeconds = 60

/** The profiles of all teams: one writer at a time each, any number of readers. Disposing stops what is being stored. */
export class Profiles implements AsyncDisposable {
  readonly #parts: ProfilesDeps
  readonly #leases: Map<string, Lease>
  readonly #pending: PendingSaves

  private constructor(parts: ProfilesDeps, leases: Map<string, Lease>, pending: PendingSaves) {
    this.#parts = parts
    this.#leases = leases
    this.#pending = pending
  }

  static async open(parts: ProfilesDeps): Promise<Profiles> {
    const leases = new Map<string, Lease>()
    const pending = await PendingSaves.open({
      ...parts,
      onLease: ({ profileId, fence }) => void leases.set(keyOf({ profileId, fence }), { profileId, fence }),
      onLeaseEnd: (lease) => void leases.delete(keyOf(lease)),
      onSaved: async (profileId) => pruneProfile(parts, profileId),
    })
    return new Profiles(parts, leases, pending)
  }

  /** Goes on with what a former run of this node could not store. Called before anybody can open a profile. */
  async resumePending(): Promise<void> {
    await this.#pending.resume()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pending[Symbol.asyncDispose]()
  }

  /** Opens a profile for a session. Throws PROFILE_LOCKED when it is to be written and another session writes it. */
  async open({ teamId, name, isWritable, sessionId }: OpenRequest): Promise<OpenProfile> {
    const { store, nodeId } = this.#parts
    const pending = this.#pending
    const parts = { ...this.#parts, pending, onLeaseEnd: (lease: Lease) => void this.#leases.delete(keyOf(lease)) }
    if (!isWritable) return openProfile(parts, name, await findCurrentVersion(store.db, { teamId, name }), undefined)
    const taken = await takeLease(store.db, { teamId, name, nodeId, sessionId })
    if ('holder' in taken) throw lockedBy(name, taken.holder)
    const lease = { profileId: taken.profile.id, fence: taken.profile.fence }
    this.#leases.set(keyOf(lease), lease)
    try {
      const isNew = taken.profile.currentVersion === undefined
      // Read after the lease was taken: the former writer's last save is in it.
      const version = isNew ? undefined : await findCurrentVersion(store.db, { teamId, name })
      return openProfile(parts, name, version, lease)
    } catch (error) {
      // Renewed with every heartbeat, it would keep every writer out for as long as this server runs.
      parts.onLeaseEnd(lease)
      await releaseLease(store.db, lease).catch(() => undefined)
      throw error
    }
  }

  /** Keeps the leases of this node from expiring. Called with each heartbeat. */
  async renewLeases(): Promise<void> {
    await renewLeases(this.#parts.store.db, [...this.#leases.values()])
  }

  /** The profiles of a team by name. */
  async list(teamId: string): Promise<readonly ProfileSummary[]> {
    return listProfiles(this.#parts.store.db, { teamId })
  }

  /** One profile. Throws PROFILE_NOT_FOUND. */
  async get({ teamId, name }: ProfileName): Promise<ProfileSummary> {
    const [profile] = await listProfiles(this.#parts.store.db, { teamId, name })
    if (profile === undefined) throw new BowlineError('PROFILE_NOT_FOUND', `There is no profile "${name}"`)
    return profile
  }

  /** The versions of a profile, newest first. Throws PROFILE_NOT_FOUND. */
  async versions(profile: ProfileName): Promise<readonly ProfileVersionRow[]> {
    const { id } = await this.get(profile)
    return listVersions(this.#parts.store.db, id)
  }

  /** Makes an earlier version the current one. Throws PROFILE_NOT_FOUND, PROFILE_LOCKED. */
  async rollBack(profile: ProfileName, version: number): Promise<ProfileSummary> {
    await this.#refuseWhenLocked(profile)
    if (await rollBack(this.#parts.store.db, profile, version)) return this.get(profile)
    await this.#refuseWhenLocked(profile)
    throw new BowlineError('PROFILE_NOT_FOUND', `There is no version ${version} of the profile "${profile.name}"`)
  }

  /** Deletes a profile with all its versions. Throws PROFILE_NOT_FOUND, PROFILE_LOCKED. */
  async delete(profile: ProfileName): Promise<void> {
    const { store, blobs, onError } = this.#parts
    await this.#refuseWhenLocked(profile)
    const blobsToDelete = await deleteProfile(store.db, profile)
    if (blobsToDelete === undefined) return this.#refuseWhenLocked(profile)
    await Promise.all(blobsToDelete.map(async (blob) => blobs.delete(blob))).catch((error: unknown) =>
      // The sweep tries again.
      onError(error, `deleting the versions of a profile`),
    )
  }

  async #refuseWhenLocked(profile: ProfileName): Promise<void> {
    await this.get(profile)
    const holder = await findHolder(this.#parts.store.db, profile)
    if (holder !== undefined) throw lockedBy(profile.name, holder)
  }
}

function keyOf({ profileId, fence }: Lease): string {
  return `${profileId} ${fence}`
}

function lockedBy(name: string, { sessionId, endsAt }: LeaseHolder): BowlineError {
  const who = sessionId === undefined ? 'An import' : `Session ${sessionId}`
  const waitSeconds = Math.ceil((endsAt.getTime() - Date.now()) / 1000)
  return new BowlineError(
    'PROFILE_LOCKED',
    `${who} is currently writing to the profile "${name}". Only one writer is allowed at a time. You can still access it with saveChanges: false, or try again later.`,
    {
      details: { sessionId, endsAt: endsAt.toISOString() },
      retryAfterSeconds: Math.min(longestRetryAfterSeconds, Math.max(1, waitSeconds)),
    },
  )
}
