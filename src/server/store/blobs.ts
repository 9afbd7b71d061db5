import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { FileStorage, type StorageAdapter } from '@flystorage/file-storage'
import { LocalStorageAdapter } from '@flystorage/local-fs'
import { BowlineError } from '../../kit/errors.ts'
import { makeFolder } from '../../kit/make-folder.ts'

/** Where blobs are kept: in a folder, or in a bucket of an S3-compatible service. */
export type BlobPlace =
  | { readonly kind: 'folder'; readonly path: string }
  | {
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

/** Large immutable values by key. A key is written once. */
export interface Blobs {
  readonly write: (key: string, contents: Readable, signal?: AbortSignal) => Promise<void>
  /** Fails, or yields a stream that fails, when there is no such blob. */
  readonly read: (key: string, signal?: AbortSignal) => Promise<Readable>
  readonly has: (key: string) => Promise<boolean>
  /** Harmless when there is no such blob. */
  readonly delete: (key: string) => Promise<void>
  /** The keys that begin with `folder/`. */
  readonly list: (folder: string) => AsyncIterable<string>
}

/** Options of `openBlobs`. */
export interface BlobsOptions {
  /** Milliseconds of silence after which a request to a bucket has failed; it is made three times. Default 60,000. */
  readonly silenceMs?: number | undefined
}

/** Opens the blobs at a place. What was written is durable when `write` resolves. */
export const openBlobs = async (place: BlobPlace, { silenceMs = 60_000 }: BlobsOptions = {}): Promise<Blobs> => {
  if (place.kind === 's3') return blobsOf(await s3Adapter(place, silenceMs))
  await makeFolder(place.path)
  const blobs = blobsOf(new LocalStorageAdapter(place.path))
  return {
    ...blobs,
    write: async (key, contents, signal) => {
      await blobs.write(key, contents, signal)
      const path = join(place.path, key)
      await syncPath(path)
      await syncPath(dirname(path))
    },
    list: async function* (folder) {
      await mkdir(join(place.path, folder), { recursive: true, mode: 0o700 })
      yield* blobs.list(folder)
    },
  }
}

/** Reads `s3://bucket/prefix?region=…&endpoint=…`, or the path of a folder. Throws CONFIG_INVALID. */
export const parseBlobPlace = (text: string, credentials: S3Credentials | undefined): BlobPlace => {
  if (!text.startsWith('s3:')) return { kind: 'folder', path: text }
  const url = URL.parse(text)
  if (url === null || url.hostname === '') {
    throw new BowlineError('CONFIG_INVALID', `${JSON.stringify(text)} names no bucket: s3://BUCKET/PREFIX is expected`)
  }
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '')
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix,
    endpoint: url.searchParams.get('endpoint') ?? undefined,
    region: url.searchParams.get('region') ?? 'us-east-1',
    credentials,
  }
}

const blobsOf = (adapter: StorageAdapter): Blobs => {
  const storage = new FileStorage(adapter)
  return {
    // Without a type given the library would look for one in the first bytes.
    write: async (key, contents, signal) =>
      storage.write(key, contents, { mimeType: 'application/octet-stream', ...abortOption(signal) }),
    has: async (key) => storage.fileExists(key),
    read: async (key, signal) => storage.read(key, abortOption(signal)),
    delete: async (key) => storage.deleteFile(key),
    list: async function* (folder) {
      for await (const entry of storage.list(folder, { deep: true })) if (entry.isFile) yield entry.path
    },
  }
}

const abortOption = (signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } =>
  signal === undefined ? {} : { abortSignal: signal }

const s3Adapter = async (place: Extract<BlobPlace, { kind: 's3' }>, silenceMs: number): Promise<StorageAdapter> => {
  // Half a second of loading that servers with a folder need not pay.
  const [{ S3Client }, { AwsS3StorageAdapter }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@flystorage/aws-s3'),
  ])
  const client = new S3Client({
    region: place.region,
    // Its own default is to wait for ever: sessions could not end, nor could the server.
    requestHandler: { connectionTimeout: silenceMs, socketTimeout: silenceMs },
    ...(place.endpoint === undefined ? {} : { endpoint: place.endpoint, forcePathStyle: true }),
    ...(place.credentials === undefined
      ? {}
      : { credentials: { ...place.credentials, sessionToken: place.credentials.sessionToken ?? '' } }),
  })
  return new AwsS3StorageAdapter(client, { bucket: place.bucket, prefix: place.prefix })
}

const syncPath = async (path: string): Promise<void> => {
  await using handle = await open(path, 'r')
  await handle.sync()
}
