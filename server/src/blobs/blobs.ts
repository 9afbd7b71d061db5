import type { Readable } from 'node:stream'
import { BowlineError } from 'bowline/kit/errors'
import { openFolderBlobs } from './folder-blobs.ts'
import { openS3Blobs, type S3Credentials, type S3Location } from './s3-blobs.ts'

/** Location of blobs: a folder or an S3-compatible bucket. */
export type BlobLocation = { readonly kind: 'folder'; readonly path: string } | S3Location

/** Key-value store for large immutable values. Each key is written once. */
export interface Blobs {
  readonly write: (key: string, contents: Readable, signal?: AbortSignal) => Promise<void>
  /** Rejects, or returns a stream that fails, if the blob does not exist. */
  readonly read: (key: string, signal?: AbortSignal) => Promise<Readable>
  readonly has: (key: string) => Promise<boolean>
  /** Does nothing if the blob does not exist. */
  readonly delete: (key: string) => Promise<void>
  /** Lists the keys that start with `folder/`. Default: all keys. */
  readonly list: (folder?: string) => AsyncIterable<string>
  /** Sums the sizes of all blobs. Absent for buckets, which would bill the requests. */
  readonly bytes?: (() => Promise<number>) | undefined
}

/** Options of `openBlobs`. */
export interface BlobsOptions {
  /** Idle timeout of bucket requests in milliseconds. Default: 60000. */
  readonly idleTimeoutMs?: number | undefined
  /**
   * Milliseconds until a bucket must respond to a request, in addition to the time to upload its
   * body. Requests are tried twice. Default: 10000.
   */
  readonly responseTimeoutMs?: number | undefined
}

/**
 * Opens a blob store. Blobs are durable once `write` resolves. Throws PACKAGE_MISSING without the
 * AWS SDK.
 */
export async function openBlobs(location: BlobLocation, options: BlobsOptions = {}): Promise<Blobs> {
  const { idleTimeoutMs = 60_000, responseTimeoutMs = 10_000 } = options
  return location.kind === 's3'
    ? openS3Blobs(location, { idleTimeoutMs, responseTimeoutMs })
    : openFolderBlobs(location.path)
}

/** Returns a location for messages: a path, or `s3://BUCKET/PREFIX`. */
export function describeBlobLocation(location: BlobLocation): string {
  return location.kind === 's3' ? `s3://${location.bucket}/${location.prefix}` : location.path
}

/** Parses `s3://bucket/prefix?region=…&endpoint=…` or a folder path. Throws CONFIG_INVALID. */
export function parseBlobLocation(text: string, credentials: S3Credentials | undefined): BlobLocation {
  if (!text.startsWith('s3:')) return { kind: 'folder', path: text }
  const url = URL.parse(text)
  if (url === null || url.hostname === '') {
    throw new BowlineError('CONFIG_INVALID', `${JSON.stringify(text)} has no bucket. Use s3://BUCKET/PREFIX.`)
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
