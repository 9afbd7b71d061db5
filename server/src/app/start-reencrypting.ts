import type { Logger } from 'pino'
import type { AuditLog } from '../audit/audit-log.ts'
import type { Blobs } from '../blobs/blobs.ts'
import type { ProfileKey } from '../profiles/profile-key.ts'
import { reencryptProfiles } from '../profiles/reencrypt-profiles.ts'
import type { Secrets } from '../secrets/secrets.ts'
import type { Store } from '../store/store.ts'

/** Dependencies of `startReencrypting`. */
export interface ReencryptingDeps {
  readonly store: Store
  readonly blobs: Blobs
  readonly secrets: Secrets
  readonly key: ProfileKey
  readonly audit: Pick<AuditLog, 'record'>
  readonly log: Logger
}

/**
 * Encrypts profiles and secrets of earlier keys with the current key, in the background. Without
 * earlier keys it does nothing. Disposing stops it; the next start continues.
 */
export function startReencrypting(deps: ReencryptingDeps): AsyncDisposable {
  const stop = new AbortController()
  const running = reencrypt(deps, stop.signal).catch((error: unknown) => {
    deps.log.error({ err: error }, 'failed: encrypting profiles and secrets with the current key')
  })
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
    },
  }
}

async function reencrypt(
  { store, blobs, secrets, key, audit, log }: ReencryptingDeps,
  signal: AbortSignal,
): Promise<void> {
  if ((key.previous ?? []).length === 0) return
  const onError = (error: unknown, { profileId, version }: { profileId: string; version: number }): void =>
    log.error({ err: error, profileId, version }, 'A profile version could not be encrypted with the current key')
  const secretCount = await secrets.reencrypt()
  const versionCount = await reencryptProfiles({ store, blobs, key, onError }, signal)
  if (secretCount + versionCount === 0) return
  const details = { keyId: key.id, profileVersions: versionCount, secrets: secretCount }
  const message = 'Encrypted profiles and secrets of earlier keys with the current key'
  await audit.record({ action: 'profile-key.rotated', message, details })
}
