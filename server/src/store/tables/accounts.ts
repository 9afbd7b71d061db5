import type { Generated } from 'kysely'
import type { JsonText, Nullable, Timestamp } from './columns.ts'

/** Role of an API key. `admin` keys manage keys and teams, `member` keys use the API. */
export type KeyRole = 'admin' | 'member'

/** A team with its balance and limits. */
export interface TeamTable {
  readonly id: string
  readonly name: string
  /** Null: unmetered. */
  readonly credits: Nullable<number>
  readonly reservedCredits: Generated<number>
  readonly activeSessions: Generated<number>
  /** Maximum concurrent sessions and scrapes. Null: unlimited. */
  readonly maxConcurrency: Nullable<number>
  /** Credits granted in total since the balance was last set. Null: unmetered. */
  readonly planCredits: Nullable<number>
  /** Scrapes that occupy a slot. Scrapes of teams without limits are not counted. */
  readonly activeScrapes: Generated<number>
  /** Requests per minute, in the format of `BOWLINE_RATE_LIMITS`. Null: the server's limits. */
  readonly rateLimits: Nullable<string>
  readonly createdAt: Timestamp
}

/** An API key of a team. Only its hash is stored. */
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
  /** Whether the key comes from a server's configuration instead of an API call. */
  readonly isBootstrap: Generated<boolean>
  /** When the last server configured with it was removed. Null: not retired. */
  readonly retiredAt: Nullable<Date>
  /** Restrictions for callers of `/mcp`. Null: those of the server. */
  readonly mcp: Nullable<JsonText>
}

/** A charge. There is at most one per kind and subject. Old ones are in `LedgerDayTable`. */
export interface LedgerTable {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  readonly kind: string
  readonly subjectId: string
  readonly credits: number
  readonly createdAt: Date
}

/** Sum of the old charges of an API key for a kind of work on a UTC day. */
export interface LedgerDayTable {
  readonly teamId: string
  /** `YYYY-MM-DD`. Select it as text: drivers convert dates to the local time zone. */
  readonly day: string
  readonly apiKeyId: string
  readonly kind: string
  readonly credits: number
  /** Number of charges. */
  readonly charges: number
  /** Time of the last charge. */
  readonly lastChargeAt: Date
}

/** Credits and a concurrency slot of a team that are reserved for work. */
export interface HoldTable {
  /** Id of the session, check or extraction, or a new id. */
  readonly id: string
  readonly teamId: string
  /** Node that runs the work. Null: the work survives its node. */
  readonly nodeId: Nullable<string>
  readonly credits: number
  /** Null: the work takes no slot. */
  readonly slot: Nullable<'session' | 'scrape'>
  readonly createdAt: Timestamp
}

/** Rate limit window: requests of a team in a bucket during the minute after the first of them. */
export interface RateWindowTable {
  readonly teamId: string
  readonly bucket: string
  readonly startedAt: Date
  readonly used: number
}

/** An entry of a team's activity log. Kept for a day. */
export interface ActivityTable {
  readonly id: string
  readonly teamId: string
  readonly endpoint: string
  readonly apiVersion: string
  readonly target: string | null
  /** Error code of a failed call. Null: it succeeded or started a job. */
  readonly error: string | null
  /** `auditMetadata.username` of the call. */
  readonly auditUsername: string | null
  readonly createdAt: Date
}
