import type { Generated } from 'kysely'
import type { Nullable, Timestamp } from '../columns.ts'

/** What a key may do: `admin` keys manage keys and teams, `member` keys use the API. */
export type KeyRole = 'admin' | 'member'

/** A team: who pays, and how much it may use at a time. */
export interface TeamTable {
  readonly id: string
  readonly name: string
  /** Null: unmetered. */
  readonly credits: Nullable<number>
  readonly reservedCredits: Generated<number>
  readonly activeSessions: Generated<number>
  /** Sessions and scrapes at a time. Null: unlimited. */
  readonly maxSessions: Nullable<number>
  /** Credits it was last given. Null: unmetered. */
  readonly planCredits: Nullable<number>
  /** Scrapes that hold a place; those of a team without any limit hold none. */
  readonly activeScrapes: Generated<number>
  /** Requests a minute, as the contract writes them. Null: what the server is set to. */
  readonly rateLimits: Nullable<string>
  readonly createdAt: Timestamp
}

/** A key of a team. The key itself is not stored, only its hash. */
export interface ApiKeyTable {
  readonly id: string
  readonly teamId: string
  readonly name: string
  readonly hash: string
  readonly prefix: string
  readonly role: KeyRole
  readonly createdAt: Timestamp
  readonly lastUsedAt: Nullable<Date>
  readonly revokedAt: Nullable<Date>
  /** Whether a server was started with it, rather than an API call creating it. */
  readonly isBootstrap: Generated<boolean>
  /** When the last server that was configured with it was gone. Null: it works, unless it is revoked. */
  readonly retiredAt: Nullable<Date>
}

/** A bill. There is at most one per kind and subject. */
export interface LedgerTable {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  readonly kind: string
  readonly subjectId: string
  readonly credits: number
  readonly createdAt: Date
}

/** Work in progress that has credits and a place of its team set aside. */
export interface RunningWorkTable {
  readonly id: string
  readonly teamId: string
  readonly nodeId: string
  readonly credits: number
  readonly startedAt: Timestamp
}

/** How many requests of one kind a team has made since the minute began that the first of them opened. */
export interface RateWindowTable {
  readonly teamId: string
  readonly bucket: string
  readonly startedAt: Date
  readonly used: number
}

/** A job of a team, for a day. */
export interface ActivityTable {
  readonly id: string
  readonly teamId: string
  readonly endpoint: string
  readonly apiVersion: string
  readonly target: string | null
  /** Code of the error that the call failed with. Null: it succeeded, or started a job. */
  readonly error: string | null
  readonly createdAt: Date
}
