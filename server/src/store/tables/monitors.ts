import type { Generated } from 'kysely'
import type { CheckStatus, PageStatus } from 'bowline/contract/monitor-checks'
import type { Nullable, Timestamp } from '../columns.ts'

/** Pages that are looked at on a schedule. */
export interface MonitorTable {
  readonly id: string
  readonly teamId: string
  /** Who made it, and is billed. */
  readonly apiKeyId: string
  readonly name: string
  readonly status: Generated<'active' | 'paused' | 'deleted'>
  readonly cron: string
  readonly timezone: string
  /** As JSON, like `webhook`, `notification` and `lastCheckSummary`. */
  readonly targets: string
  readonly webhook: Nullable<string>
  readonly notification: string
  readonly retentionDays: number
  readonly goal: Nullable<string>
  readonly judgeEnabled: Generated<boolean>
  /** Address of the server as whoever made it knew it. */
  readonly baseUrl: string
  /** Null: it is paused or deleted. */
  readonly nextRunAt: Nullable<Date>
  readonly lastRunAt: Nullable<Date>
  readonly lastCheckSummary: Nullable<string>
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** One run of a monitor. Of one monitor at most one is queued or running. */
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
  /** As JSON, like `targetResults`. */
  readonly summary: Nullable<string>
  readonly targetResults: Generated<string>
  readonly error: Nullable<string>
  readonly leaseNodeId: Nullable<string>
  readonly leaseExpiresAt: Nullable<Date>
  /** Grows with each lease; only the newest may write. */
  readonly fence: Generated<number>
  readonly createdAt: Timestamp
  readonly updatedAt: Timestamp
}

/** What a check found of a page. */
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
  /** As JSON, like `diff` and `snapshot`. */
  readonly judgment: Nullable<string>
  readonly diff: Nullable<string>
  readonly snapshot: Nullable<string>
  readonly createdAt: Timestamp
}

/** The last state of a page of a monitor. */
export interface MonitorStateTable {
  readonly monitorId: string
  readonly targetId: string
  readonly urlHash: string
  readonly url: string
  readonly markdown: string
  /** What was extracted, as JSON. */
  readonly extracted: Nullable<string>
  readonly scrapeId: Nullable<string>
  readonly isGone: Generated<boolean>
  readonly checkedAt: Timestamp
}

/** A reader of the mails of a monitor. */
export interface MailSubscriptionTable {
  readonly id: string
  readonly monitorId: string
  readonly email: string
  readonly status: 'pending' | 'confirmed' | 'unsubscribed'
  /** `team`: trusted by the settings of the server; `opt_in`: has to confirm first. */
  readonly source: 'team' | 'opt_in'
  /** What the tokens of its links are made from. */
  readonly secret: string
  readonly confirmationSentAt: Nullable<Date>
  readonly createdAt: Timestamp
}

/** A mail on its way, or sent. */
export interface MailTable {
  readonly id: string
  readonly subscriptionId: string
  readonly checkId: Nullable<string>
  readonly kind: 'check' | 'confirmation'
  /** `dropped`: its reader did not want it any more. */
  readonly status: Generated<'queued' | 'sent' | 'failed' | 'dropped'>
  readonly error: Nullable<string>
  readonly sentAt: Nullable<Date>
  readonly createdAt: Timestamp
}
