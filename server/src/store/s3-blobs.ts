import { addAbortSignal, Readable } from 'node:stream'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import { loadOptional } from '../kit/optional-package.ts'
import { uploadToS3 } from './s3-upload.ts'

/** A bucket of an S3-compatible service. */
export interface S3Place {
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
export async function openS3Blobs(place: S3Place, silenceMs: number) {
  // Half a second of loading that servers with a folder need not pay.
  const sdk = await loadOptional('@aws-sdk/client-s3', '`--blobs s3://…`', async () => import('@aws-sdk/client-s3'))
  const client = new sdk.S3Client(clientOptions(place, silenceMs))
  const objectOf = (key: string) => ({ Bucket: place.bucket, Key: keyOf(place, key) })
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
      const prefix = `${keyOf(place, folder)}/`
      for await (const { Contents = [] } of sdk.paginateListObjectsV2(
        { client },
        { Bucket: place.bucket, Prefix: prefix },
      )) {
        // Some consoles make an empty object that stands for the folder.
        for (const { Key = '' } of Contents) if (!Key.endsWith('/')) yield folder + Key.slice(prefix.length - 1)
      }
    },
  }
}

function clientOptions(place: S3Place, silenceMs: number): S3ClientConfig {
  return {
    region: place.region,
    // Its own default is to wait for ever: sessions could not end, nor could the server.
    requestHandler: { connectionTimeout: silenceMs, socketTimeout: silenceMs },
    ...(place.endpoint !== undefined && { endpoint: place.endpoint, forcePathStyle: true }),
    ...(place.credentials !== undefined && {
      credentials: { ...place.credentials, sessionToken: place.credentials.sessionToken ?? '' },
    }),
  }
}

function keyOf({ prefix }: S3Place, key: string): string {
  return prefix === '' ? key : `${prefix}/${key}`
}

function sendOptions(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal }
}
