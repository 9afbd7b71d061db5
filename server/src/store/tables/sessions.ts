import type { Generated } from 'kysely'
import type { EndReason, SessionStatus } from 'bowline/contract/browser'
import type { Nullable, Timestamp } from '../columns.ts'

/** What a client's `Browser.close` does to a session. */
export type OnBrowserClose = 'disconnect' | 'delete'

/** A running server. */
export interface NodeTable {
  readonly id: string
  readonly url: Nullable<string>
  readonly slots: number
  readonly live: Generated<number>
  readonly startedAt: Timestamp
  readonly heartbeatAt: Timestamp
  readonly draining: Generated<boolean>
  /** The bootstrap key it was started with. */
  readonly bootstrapKeyId: Nullable<string>
  /** Identity of the folder or bucket in which it stores blobs. */
  readonly blobs: Nullable<string>
}

/** A browser session, alive or ended. */
export interface SessionTable {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  readonly nodeId: string
  readonly status: SessionStatus
  readonly endReason: Nullable<EndReason>
  readonly ttlSeconds: number
  readonly activityTtlSeconds: number
  readonly streamWebView: boolean
  readonly onBrowserClose: OnBrowserClose
  readonly profileName: Nullable<string>
  readonly profileSave: Nullable<boolean>
  readonly secret: string
  readonly reservedCredits: number
  readonly idempotencyKey: Nullable<string>
  readonly requestHash: Nullable<string>
  readonly createdAt: Date
  readonly lastActivityAt: Date
  readonly expiresAt: Date
  readonly endedAt: Nullable<Date>
  readonly durationMs: Nullable<number>
  readonly creditsBilled: Nullable<number>
  readonly error: Nullable<string>
  /** Version that its end saved. */
  readonly profileVersion: Nullable<number>
  /** Why its end saved nothing. */
  readonly profileError: Nullable<string>
  /** Whether its files outlive it for a while. */
  readonly keepFiles: Generated<boolean>
  /** What is recorded of it, as JSON. */
  readonly record: Nullable<string>
}

/** What is kept of a session after its end. Its blob is named for its id. */
export interface ArtifactTable {
  readonly id: string
  readonly teamId: string
  readonly sessionId: string
  readonly kind: 'file' | 'recording'
  readonly name: string
  /** What else is told of it, as JSON. */
  readonly details: string
  /** Null: its blob is being written, or was never finished. */
  readonly bytes: Nullable<number>
  readonly createdAt: Timestamp
  readonly expiresAt: Date
}
