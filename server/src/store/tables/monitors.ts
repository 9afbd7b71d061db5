import type { Generated } from 'kysely'
import type { CheckStatus, PageStatus } from 'bowline/contract/monitor-checks'
import type { JsonText, Nullable, Timestamp } from './columns.ts'

/** A monitor: a scheduled check of pages. */
export interface MonitorTable {
  readonly id: string
  readonly teamId: string
  /** API key that created it and is billed. */
  readonly apiKeyId: string
  readonly name: string
  readonly status: Generated<'active' | 'paused' | 'deleted'>
  readonly cron: string
  readonly timezone: string
  /** Words that `cron` was made of. Null: a cron expression, or unknown. */
  readonly scheduleText: Nullable<string>
  /** `json` like `webhook`, because callers see the order of the keys that they have sent. */
  readonly targets: JsonText
  readonly webhook: Nullable<JsonText>
  readonly notification: JsonText
  readonly retentionDays: number
  readonly goal: Nullable<string>
  readonly judgeEnabled: Generated<boolean>
  /** Base URL of the server in the request that created it. */
  readonly baseUrl: string
  /** Null: paused or deleted. */
  readonly nextRunAt: Nullable<Date>
  readonly lastRunAt: Nullable<Date>
  readonly lastCheckSummary: Nullable<JsonText>
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** A run of a monitor. A monitor has at most one queued or running check. */
export interface MonitorCheckTable {
  readonly id: string
  readonly monitorId: string
  readonly teamId: string
  readonly status: CheckStatus
  readonly trigger: 'scheduled' | 'manual'
  readonly scheduledFor: Date
  readonly startedAt: Nullable<Date>
  readonly finishedAt: Nullable<Date>
  readonly estimatedCredits: number
  readonly reservedCredits: Nullable<number>
  readonly actualCredits: Nullable<number>
  readonly billingStatus: Generated<'not_applicable' | 'reserved' | 'confirmed' | 'released' | 'failed'>
  readonly summary: Nullable<JsonText>
  readonly targetResults: Generated<JsonText>
  readonly error: Nullable<string>
  readonly leaseNodeId: Nullable<string>
  readonly leaseExpiresAt: Nullable<Date>
  /** Fencing token. Incremented with each lease: only the newest lease may write. */
  readonly fence: Generated<number>
  /** Number of servers that crashed during the check. */
  readonly crashes: Generated<number>
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** Result of a page in a check. */
export interface MonitorPageTable {
  readonly id: string
  readonly checkId: string
  readonly targetId: string
  readonly urlHash: string
  readonly url: string
  readonly status: PageStatus
  readonly previousScrapeId: Nullable<string>
  readonly currentScrapeId: Nullable<string>
  readonly statusCode: Nullable<number>
  readonly error: Nullable<string>
  readonly credits: number
  readonly judgment: Nullable<JsonText>
  /** `json` like `snapshot`, because their keys are fields of extracted data, in their order. */
  readonly diff: Nullable<JsonText>
  readonly snapshot: Nullable<JsonText>
  readonly createdAt: Timestamp
}

/** Last known state of a page of a monitor. */
export interface MonitorStateTable {
  readonly monitorId: string
  readonly targetId: string
  readonly urlHash: string
  readonly url: string
  readonly markdown: string
  /**
   * Extracted data. JSON in a `text` column: another type would rewrite the table, with the
   * Markdown of all pages.
   */
  readonly extracted: Nullable<JsonText>
  readonly scrapeId: Nullable<string>
  readonly isGone: Generated<boolean>
  readonly checkedAt: Timestamp
}

/** A subscription of an email address to a monitor. */
export interface MailSubscriptionTable {
  readonly id: string
  readonly monitorId: string
  readonly email: string
  readonly status: 'pending' | 'confirmed' | 'unsubscribed'
  /** `team`: trusted by the server's configuration. `opt_in`: must confirm first. */
  readonly source: 'team' | 'opt_in'
  /** Secret from which the tokens of its links are derived. */
  readonly secret: string
  readonly confirmationSentAt: Nullable<Date>
  readonly createdAt: Timestamp
}

/** A queued or sent email. */
export interface MailTable {
  readonly id: string
  readonly subscriptionId: string
  readonly checkId: Nullable<string>
  readonly kind: 'check' | 'confirmation'
  /** `dropped`: the recipient has unsubscribed in the meantime. */
  readonly status: Generated<'queued' | 'sent' | 'failed' | 'dropped'>
  readonly error: Nullable<string>
  readonly sentAt: Nullable<Date>
  readonly createdAt: Timestamp
}
