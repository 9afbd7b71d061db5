import type { Readable } from 'node:stream'
import type { BlobLocation } from '../blobs/blobs.ts'

/** Where a backup is stored: a folder or a prefix of a bucket. */
export interface BackupStorage {
  /** For messages: a path, or `s3://BUCKET/PREFIX`. */
  readonly name: string
  readonly blobLocation: BlobLocation
  /** Whether nothing is stored there. A folder may be missing. */
  readonly isEmpty: () => Promise<boolean>
  readonly write: (path: string, contents: Readable) => Promise<void>
  /** Returns a stream that fails, or rejects, if there is no such file. */
  readonly read: (path: string) => Promise<Readable>
  readonly has: (path: string) => Promise<boolean>
  readonly delete: (path: string) => Promise<void>
}
