import type { Generated, Selectable } from 'kysely'
import type { EndReason, SessionStatus } from 'bowline/contract/browser'
import type { JsonText, Nullable, Timestamp } from './columns.ts'
import type { Row } from './row.ts'

/** Effect of a client's `Browser.close` on a session. */
export type OnBrowserClose = 'disconnect' | 'delete'

/** A running server. */
export interface NodeTable {
  readonly id: string
  readonly url: Nullable<string>
  readonly slots: number
  readonly live: Generated<number>
  /** Share of the memory of its machine that is in use, 0 to 1. */
  readonly memoryUsed: Generated<number>
  /** Share of the processors of its machine that was in use in the last minute, 0 to 1. */
  readonly cpuUsed: Generated<number>
  readonly startedAt: Timestamp
  readonly heartbeatAt: Timestamp
  readonly draining: Generated<boolean>
  /** Bootstrap key that it is configured with. */
  readonly bootstrapKeyId: Nullable<string>
  /** Identity of its blob storage. */
  readonly blobs: Nullable<string>
}

/** An active or ended browser session. */
export interface SessionTable {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  readonly nodeId: string
  readonly status: SessionStatus
  readonly endReason: Nullable<EndReason>
  readonly name: Nullable<string>
  readonly metadata: Nullable<JsonText>
  /** `json`, because its headers can have names that differ only in case. */
  readonly webhook: Nullable<JsonText>
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
  /**
   * Its creation plus its age at the last heartbeat, by the monotonic clock of its node. Null: no
   * heartbeat yet.
   */
  readonly aliveUntil: Nullable<Date>
  readonly expiresAt: Date
  readonly endedAt: Nullable<Date>
  readonly durationMs: Nullable<number>
  readonly creditsBilled: Nullable<number>
  readonly error: Nullable<string>
  /**
   * Profile version that it has loaded. 0: none was saved. Null: no profile, or it was created by a
   * version that did not store this.
   */
  readonly profileLoaded: Nullable<number>
  /** Profile version that was saved at its end. */
  readonly profileVersion: Nullable<number>
  /** Why its profile was not saved. */
  readonly profileError: Nullable<string>
  /** Whether its files are stored beyond its end. */
  readonly keepFiles: Generated<boolean>
  /** Recording options. Null: no recordings. */
  readonly record: Nullable<JsonText>
  /** Options without secrets. Null: it was created by a version that did not store them. */
  readonly options: Nullable<JsonText>
  /** Whether a prompt was run, which has another price. */
  readonly isPrompted: Generated<boolean>
}

/** A file or recording stored beyond the end of its session. Its blob is named after its id. */
export interface ArtifactTable {
  readonly id: string
  readonly teamId: string
  readonly sessionId: string
  readonly kind: 'file' | 'recording'
  readonly name: string
  /** Further metadata. */
  readonly details: JsonText
  /** Size. Null: the blob is being written or was never completed. */
  readonly bytes: Nullable<number>
  readonly createdAt: Timestamp
  readonly expiresAt: Date
}

/** An active or ended session, as read from its table. */
export type SessionRow = Row<Selectable<SessionTable>>
