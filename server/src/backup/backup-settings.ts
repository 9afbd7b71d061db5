import type { BlobSettings } from '../blobs/configured-blobs.ts'

/** Settings of the server whose data is backed up or restored. */
export interface BackupSettings extends BlobSettings {
  readonly databaseUrl?: string | undefined
  /** Environment variables for the programs of the PostgreSQL client, such as `PATH`. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined
}
