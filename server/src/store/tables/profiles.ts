import type { Generated } from 'kysely'
import type { Nullable, Timestamp } from './columns.ts'

/** A named profile of a team, with its write lease. */
export interface ProfileTable {
  readonly id: string
  readonly teamId: string
  readonly name: string
  /** Null: nothing saved yet. */
  readonly currentVersion: Nullable<number>
  readonly lastVersion: Generated<number>
  /** Fencing token. Incremented with each lease: only the newest lease may write. */
  readonly fence: Generated<number>
  /** Session that holds the lease. Null with a lease: held by an import. */
  readonly leaseSessionId: Nullable<string>
  readonly leaseNodeId: Nullable<string>
  /** Null: no lease. */
  readonly leaseExpiresAt: Nullable<Date>
  /** Server that wrote it last, which may still have its archive on disk. */
  readonly lastNodeId: Nullable<string>
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** A saved version of a profile. */
export interface ProfileVersionTable {
  readonly profileId: string
  readonly version: number
  readonly blob: string
  /** Id of its encryption key. */
  readonly keyId: string
  readonly storedBytes: number
  readonly contentBytes: number
  /** Browser that wrote it, such as `HeadlessChrome/156.0.8078.79`. */
  readonly browser: string
  /** Null: imported. */
  readonly sessionId: Nullable<string>
  readonly savedAt: Timestamp
}
