import { assertSharedBlobs } from '../cluster/assert-shared-blobs.ts'
import { identifyBlobs } from '../blobs/blob-identity.ts'
import { openBlobs, type Blobs } from '../blobs/blobs.ts'
import { configuredBlobs, type BlobSettings } from '../blobs/configured-blobs.ts'
import type { Store } from '../store/store.ts'

/**
 * Opens the blob storage: the configured bucket, or a folder in the data directory. Throws
 * CONFIG_INVALID if other servers on the same database use other storage.
 */
export async function openConfiguredBlobs(
  settings: BlobSettings,
  { store, nodeId }: { readonly store: Store; readonly nodeId: string },
): Promise<{ readonly blobs: Blobs; readonly blobsId: string }> {
  const location = configuredBlobs(settings)
  const blobs = await openBlobs(location)
  const blobsId = await identifyBlobs(location)
  await assertSharedBlobs(store, { nodeId, blobsId })
  return { blobs, blobsId }
}
