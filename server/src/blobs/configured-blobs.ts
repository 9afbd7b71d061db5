import { join } from 'node:path'
import { parseBlobLocation, type BlobLocation } from './blobs.ts'
import type { S3Credentials } from './s3-blobs.ts'

/** Settings of the blob storage. */
export interface BlobSettings {
  readonly dataDir: string
  readonly blobs?: string | undefined
  readonly s3AccessKeyId?: string | undefined
  readonly s3SecretAccessKey?: string | undefined
  readonly s3SessionToken?: string | undefined
}

/** Returns the configured bucket or folder, or the folder in the data directory. */
export function configuredBlobs(settings: BlobSettings): BlobLocation {
  return parseBlobLocation(settings.blobs ?? join(settings.dataDir, 'blobs'), configuredCredentials(settings))
}

/** Returns the configured credentials of S3. Undefined: those of the AWS credential chain. */
export function configuredCredentials(settings: BlobSettings): S3Credentials | undefined {
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey, s3SessionToken: sessionToken } = settings
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { accessKeyId, secretAccessKey, sessionToken }
}
