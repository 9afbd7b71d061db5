import { join } from 'node:path'
import { assertSharedBlobs } from '../cluster/assert-shared-blobs.ts'
import type { ServerConfig } from '../config.ts'
import type { Identity } from '../identity.ts'
import { identifyBlobs } from '../store/blob-identity.ts'
import { openBlobs, parseBlobLocation, type Blobs } from '../store/blobs.ts'
import type { Store } from '../store/store.ts'

/**
 * Opens the place of large objects: the configured bucket, or a folder of the data directory.
 * Throws CONFIG_INVALID when other servers on the same database use another place.
 */
export async function openConfiguredBlobs(
  config: ServerConfig,
  { store, identity }: { readonly store: Store; readonly identity: Identity },
): Promise<{ readonly blobs: Blobs; readonly blobsId: string }> {
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey, s3SessionToken: sessionToken } = config
  const credentials =
    accessKeyId === undefined || secretAccessKey === undefined
      ? undefined
      : { accessKeyId, secretAccessKey, sessionToken }
  const location = parseBlobLocation(config.blobs ?? join(config.dataDir, 'blobs'), credentials)
  const blobs = await openBlobs(location)
  const blobsId = await identifyBlobs(location)
  await assertSharedBlobs(store, { nodeId: identity.nodeId, blobsId })
  return { blobs, blobsId }
}
