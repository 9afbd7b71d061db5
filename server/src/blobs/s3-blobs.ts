import { addAbortSignal, Readable } from 'node:stream'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import { loadOptional } from '../kit/optional-package.ts'
import { uploadToS3 } from './s3-upload.ts'

/** Bucket of an S3-compatible service. */
export interface S3Location {
  readonly kind: 's3'
  readonly bucket: string
  /** Prefix of every key. */
  readonly prefix: string
  /** Default: the AWS endpoint of the region. */
  readonly endpoint: string | undefined
  readonly region: string
  /** Default: the credential chain of the AWS SDK, such as the instance role. */
  readonly credentials: S3Credentials | undefined
}

/** Credentials of an S3-compatible service. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/**
 * Opens a blob store in a bucket. A request fails after `idleTimeoutMs` without data. Throws
 * PACKAGE_MISSING if the AWS SDK is not installed.
 */
export async function openS3Blobs(location: S3Location, idleTimeoutMs: number) {
  // Imported on demand, as it takes half a second to load.
  const sdk = await loadOptional('@aws-sdk/client-s3', '`--blobs s3://…`', async () => import('@aws-sdk/client-s3'))
  const client = new sdk.S3Client(clientOptions(location, idleTimeoutMs))
  const objectOf = (key: string) => ({ Bucket: location.bucket, Key: keyOf(location, key) })
  return {
    write: async (key: string, contents: Readable, signal?: AbortSignal): Promise<void> =>
      uploadToS3({ sdk, client }, objectOf(key), contents, signal),
    has: async (key: string): Promise<boolean> => {
      try {
        await client.send(new sdk.HeadObjectCommand(objectOf(key)))
        return true
      } catch (error) {
        if (error instanceof sdk.S3ServiceException && error.$metadata.httpStatusCode === 404) return false
        throw error
      }
    },
    read: async (key: string, signal?: AbortSignal): Promise<Readable> => {
      const { Body } = await client.send(new sdk.GetObjectCommand(objectOf(key)), sendOptions(signal))
      if (!(Body instanceof Readable)) throw new Error(`The S3 object ${key} has no body`)
      return signal === undefined ? Body : addAbortSignal(signal, Body)
    },
    delete: async (key: string): Promise<void> => {
      await client.send(new sdk.DeleteObjectCommand(objectOf(key)))
    },
    list: async function* (folder?: string): AsyncGenerator<string> {
      const start = location.prefix === '' ? '' : `${location.prefix}/`
      const prefix = folder === undefined ? start : `${start}${folder}/`
      for await (const { Contents = [] } of sdk.paginateListObjectsV2(
        { client },
        { Bucket: location.bucket, Prefix: prefix },
      )) {
        // Skips the empty objects that some consoles create as folders.
        for (const { Key = '' } of Contents) if (!Key.endsWith('/')) yield Key.slice(start.length)
      }
    },
  }
}

function clientOptions(location: S3Location, idleTimeoutMs: number): S3ClientConfig {
  return {
    region: location.region,
    // The SDK's default is no timeout, which would block the end of sessions and the server's
    // shutdown.
    requestHandler: { connectionTimeout: idleTimeoutMs, socketTimeout: idleTimeoutMs },
    ...(location.endpoint !== undefined && { endpoint: location.endpoint, forcePathStyle: true }),
    ...(location.credentials !== undefined && {
      credentials: { ...location.credentials, sessionToken: location.credentials.sessionToken ?? '' },
    }),
  }
}

function keyOf({ prefix }: S3Location, key: string): string {
  return prefix === '' ? key : `${prefix}/${key}`
}

function sendOptions(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal }
}
