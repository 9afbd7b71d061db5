import type { Generated } from 'kysely'
import type { Nullable, Timestamp } from '../columns.ts'

/** A named profile of a team, and who may write it now. */
export interface ProfileTable {
  readonly id: string
  readonly teamId: string
  readonly name: string
  /** Null: nothing was saved yet. */
  readonly currentVersion: Nullable<number>
  readonly lastVersion: Generated<number>
  /** Grows with each lease; only the newest may write. */
  readonly fence: Generated<number>
  /** Null with a lease: what holds it is no session. */
  readonly leaseSessionId: Nullable<string>
  readonly leaseNodeId: Nullable<string>
  /** Null: free. */
  readonly leaseExpiresAt: Nullable<Date>
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** One saved state of a profile. */
export interface ProfileVersionTable {
  readonly profileId: string
  readonly version: number
  readonly blob: string
  /** Tells which key it is encrypted with. */
  readonly keyId: string
  readonly storedBytes: number
  readonly contentBytes: number
  /** What wrote it, such as `HeadlessChrome/156.0.8078.79`. */
  readonly browser: string
  /** Null: it was imported. */
  readonly sessionId: Nullable<string>
  readonly savedAt: Timestamp
}
