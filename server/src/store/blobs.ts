import type { Readable } from 'node:stream'
import { BowlineError } from 'bowline/kit/errors'
import { openFolderBlobs } from './folder-blobs.ts'
import { openS3Blobs, type S3Credentials, type S3Location } from './s3-blobs.ts'

/** Where blobs are kept: in a folder, or in a bucket of an S3-compatible service. */
export type BlobLocation = { readonly kind: 'folder'; readonly path: string } | S3Location

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
  readonly idleTimeoutMs?: number | undefined
}

/** Opens the blobs at a place. What was written is durable when `write` resolves. Throws PACKAGE_MISSING. */
export async function openBlobs(location: BlobLocation, { idleTimeoutMs = 60_000 }: BlobsOptions = {}): Promise<Blobs> {
  return location.kind === 's3' ? openS3Blobs(location, idleTimeoutMs) : openFolderBlobs(location.path)
}

/** Reads `s3://bucket/prefix?region=…&endpoint=…`, or the path of a folder. Throws CONFIG_INVALID. */
export function parseBlobLocation(text: string, credentials: S3Credentials | undefined): BlobLocation {
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
