import type { Logger } from 'pino'
import type { ServerConfig } from '../config.ts'
import type { Identity } from '../identity.ts'
import { readProfileKey } from '../profiles/profile-key.ts'
import { Profiles } from '../profiles/profiles.ts'
import { startSweeping } from '../profiles/sweep-archives.ts'
import { profileWriters } from '../sessions/session-queries.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { Store } from '../store/store.ts'

/** Opens the profiles and starts sweeping blobs that failed saves left behind. */
export async function openProfiles(
  resources: AsyncDisposableStack,
  config: ServerConfig,
  { store, blobs, identity, log }: { store: Store; blobs: Blobs; identity: Identity; log: Logger },
): Promise<Profiles> {
  const key = await readProfileKey({ configured: config.profileKey, dataDir: config.dataDir, store, log })
  const onError = (error: unknown, action: string): void => log.error({ err: error }, `failed: ${action}`)
  resources.use(startSweeping({ store, blobs, onError }))
  const profiles = await Profiles.create({
    dataDir: config.dataDir,
    store,
    blobs,
    key,
    nodeId: identity.nodeId,
    quotaBytes: config.profileQuota * 1e6,
    keepVersions: config.profileVersions,
    sessions: profileWriters(store.db),
    onError,
  })
  return resources.use(profiles)
}
