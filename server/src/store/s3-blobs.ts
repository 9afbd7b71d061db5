import { addAbortSignal, Readable } from 'node:stream'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import { loadOptional } from '../kit/optional-package.ts'
import { uploadToS3 } from './s3-upload.ts'

/** A bucket of an S3-compatible service. */
export interface S3Location {
  readonly kind: 's3'
  readonly bucket: string
  /** Put before every key. */
  readonly prefix: string
  /** Default: the address of AWS for the region. */
  readonly endpoint: string | undefined
  readonly region: string
  /** Default: what the AWS SDK finds, such as the role of the machine. */
  readonly credentials: S3Credentials | undefined
}

/** A key pair of an S3-compatible service. */
export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/**
 * Blobs as objects of a bucket. A request fails after `silenceMs` milliseconds without a byte. Throws PACKAGE_MISSING if
 * the AWS SDK is not installed.
 */
export async function openS3Blobs(location: S3Location, idleTimeoutMs: number) {
  // Half a second of loading that servers with a folder need not pay.
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
      if (!(Body instanceof Readable)) throw new Error('The bucket sent an object without contents')
      return signal === undefined ? Body : addAbortSignal(signal, Body)
    },
    delete: async (key: string): Promise<void> => {
      await client.send(new sdk.DeleteObjectCommand(objectOf(key)))
    },
    list: async function* (folder: string): AsyncGenerator<string> {
      const prefix = `${keyOf(location, folder)}/`
      for await (const { Contents = [] } of sdk.paginateListObjectsV2(
        { client },
        { Bucket: location.bucket, Prefix: prefix },
      )) {
        // Some consoles make an empty object that stands for the folder.
        for (const { Key = '' } of Contents) if (!Key.endsWith('/')) yield folder + Key.slice(prefix.length - 1)
      }
    },
  }
}

function clientOptions(location: S3Location, idleTimeoutMs: number): S3ClientConfig {
  return {
    region: location.region,
    // Its own default is to wait for ever: sessions could not end, nor could the server.
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
