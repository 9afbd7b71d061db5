import type { Logger } from 'pino'
import type { ServerConfig } from '../config.ts'
import { readProfileKey, type ProfileKey } from '../profiles/profile-key.ts'
import { Profiles } from '../profiles/profiles.ts'
import { startSweeping } from '../profiles/sweep-archives.ts'
import { countSecretsByKey } from '../secrets/secret-queries.ts'
import { profileWriters } from '../sessions/session-queries.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Store } from '../store/store.ts'

/** Settings of the profiles. */
export type ProfileSettings = Pick<
  ServerConfig,
  'dataDir' | 'profileKey' | 'previousProfileKeys' | 'profileQuota' | 'profileVersions'
>

/** The profiles, and the key that encrypts them and the secrets. */
export interface OpenProfiles {
  readonly profiles: Profiles
  readonly key: ProfileKey
}

/** Opens the profiles and starts sweeping blobs that failed saves left behind. */
export async function openProfiles(
  resources: AsyncDisposableStack,
  { dataDir, profileKey, previousProfileKeys, profileQuota, profileVersions }: ProfileSettings,
  { store, blobs, nodeId, log }: { store: Store; blobs: Blobs; nodeId: string; log: Logger },
): Promise<OpenProfiles> {
  const secrets = await countSecretsByKey(store.db)
  const key = await readProfileKey({
    configured: profileKey,
    previous: previousProfileKeys,
    dataDir,
    store,
    secrets,
    log,
  })
  const onError = (error: unknown, action: string): void => log.error({ err: error }, `failed: ${action}`)
  resources.use(startSweeping({ store, blobs, onError }))
  const profiles = await Profiles.create({
    dataDir,
    store,
    blobs,
    key,
    nodeId,
    quotaBytes: profileQuota * 1e6,
    keepVersions: profileVersions,
    sessions: profileWriters(store.db),
    onError,
  })
  return { profiles: resources.use(profiles), key }
}
