import { join } from 'node:path'
import type { ServerConfig } from '../config.ts'
import { openBlobs, parseBlobPlace, type Blobs } from '../store/blobs.ts'

/** Opens the place of large objects: the configured bucket, or a folder of the data directory. */
export const openConfiguredBlobs = async (config: ServerConfig): Promise<Blobs> => {
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey, s3SessionToken: sessionToken } = config
  const credentials =
    accessKeyId === undefined || secretAccessKey === undefined
      ? undefined
      : { accessKeyId, secretAccessKey, sessionToken }
  return openBlobs(parseBlobPlace(config.blobs ?? join(config.dataDir, 'blobs'), credentials))
}
