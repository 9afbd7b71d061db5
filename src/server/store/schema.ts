import type { ColumnType, Generated } from 'kysely'
import type { EndReason, SessionStatus } from '../../contract/browser.ts'
import type { DeliveryStatus } from '../../contract/webhooks.ts'
import type { Nullable, Stamp } from './columns.ts'
import type {
  MailSubscriptionTable,
  MailTable,
  MonitorCheckTable,
  MonitorPageTable,
  MonitorStateTable,
  MonitorTable,
} from './monitor-tables.ts'

/** What a key may do: `admin` keys manage keys and teams, `member` keys use the API. */
export type KeyRole = 'admin' | 'member'

/** What a client's `Browser.close` does to a session. */
export type OnBrowserClose = 'disconnect' | 'delete'

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
  readonly createdAt: Stamp
}

/** Work in progress that has credits and a place of its team set aside. */
export interface RunningWorkTable {
  readonly id: string
  readonly teamId: string
  readonly nodeId: string
  readonly credits: number
  readonly startedAt: Stamp
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
  readonly createdAt: Date
}

/** A key of a team. The key itself is not stored, only its hash. */
export interface ApiKeyTable {
  readonly id: string
  readonly teamId: string
  readonly name: string
  readonly hash: string
  readonly prefix: string
  readonly role: KeyRole
  readonly createdAt: Stamp
  readonly lastUsedAt: Nullable<Date>
  readonly revokedAt: Nullable<Date>
}

/** A running server. */
export interface NodeTable {
  readonly id: string
  readonly url: Nullable<string>
  readonly slots: number
  readonly live: Generated<number>
  readonly startedAt: Stamp
  readonly heartbeatAt: Stamp
  readonly draining: Generated<boolean>
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
  readonly createdAt: Stamp
  readonly expiresAt: Date
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
  readonly createdAt: Stamp
  readonly updatedAt: Stamp
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
  readonly savedAt: Stamp
}

/** A page that was scraped: read again by its id for a day, or by its cache key as long as it is fresh. */
export interface ScrapeTable {
  readonly id: string
  readonly teamId: string
  /** Tells page and options. Null: not to be found by another scrape. */
  readonly cacheKey: Nullable<string>
  /** The answer as JSON. Null: it is too large for a row, and is a blob. */
  readonly document: Nullable<string>
  /** Whether blobs belong to it. */
  readonly hasBlobs: boolean
  /** What the tokens of its files are made from. */
  readonly secret: string
  readonly createdAt: Stamp
}

/** The last state of a page whose changes are tracked. */
export interface TrackedPageTable {
  readonly teamId: string
  /** Tells address, tag and options. */
  readonly trackingKey: string
  readonly markdown: string
  /** What was extracted, as JSON. */
  readonly extracted: Nullable<string>
  readonly scrapedAt: Stamp
}

/** What a job of many pages is doing. */
export type BulkStatus = 'scraping' | 'completed' | 'failed' | 'cancelled'

/** A batch or a crawl. */
export interface BulkJobTable {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  readonly kind: 'batch_scrape' | 'crawl'
  /** Version of the API it was made by. */
  readonly version: 'v1' | 'v2'
  readonly status: BulkStatus
  /** Its first address. */
  readonly target: string
  /** How its pages are scraped, as JSON. */
  readonly plan: string
  /** Address of the server as the caller knew it. */
  readonly baseUrl: string
  /** Pages, and how many of them came to an end, one way or the other. */
  readonly total: Generated<number>
  readonly completed: Generated<number>
  readonly failed: Generated<number>
  readonly credits: Generated<number>
  /** Why all of it failed. */
  readonly error: Nullable<string>
  readonly idempotencyKey: Nullable<string>
  readonly requestHash: Nullable<string>
  readonly createdAt: Date
  readonly finishedAt: Nullable<Date>
  readonly expiresAt: Date
}

/** A page of a batch or a crawl. */
export interface BulkPageTable {
  readonly jobId: string
  /** Its number in the job, from 0. */
  readonly place: number
  readonly url: string
  /** What it has in common with other addresses of the same page. Null: it need not be alone. */
  readonly identity: Nullable<string>
  /** Which of the options of the job it is scraped with. */
  readonly round: number
  /** Links between it and the start of a crawl. */
  readonly depth: number
  /** `blocked`: robots.txt forbids it. */
  readonly state: Generated<'queued' | 'completed' | 'failed' | 'blocked'>
  /** Id of its scrape, known from the start: a page is billed under no other. */
  readonly scrapeId: string
  /** Its number among the completed pages of the job, from 1. */
  readonly seq: Nullable<number>
  readonly errorCode: Nullable<string>
  readonly error: Nullable<string>
  readonly finishedAt: Nullable<Date>
}

/** An event on its way to a webhook, or arrived. Its id is the `webhookId` of the body. */
export interface WebhookDeliveryTable {
  readonly id: string
  readonly teamId: string
  /** Tells the event: the same one is not entered twice. */
  readonly uniqueKey: Nullable<string>
  readonly event: string
  readonly jobId: string
  readonly url: string
  /** Headers of the caller, as JSON. */
  readonly headers: string
  /** The body as it is posted. Null: it was removed. */
  readonly payload: Nullable<string>
  readonly keepsPayload: Generated<boolean>
  readonly status: Generated<DeliveryStatus>
  /** Every try, as JSON. */
  readonly attempts: Generated<string>
  readonly nextAttemptAt: Nullable<Date>
  readonly deliveredAt: Nullable<Date>
  readonly createdAt: Stamp
}

/** What the deliveries of a team are signed with. */
export interface WebhookSecretTable {
  readonly teamId: string
  readonly secret: string
  readonly createdAt: Stamp
}

/** A page that can be searched. */
export interface IndexedPageTable {
  readonly teamId: string
  /** SHA-256 of the address. */
  readonly urlHash: Buffer
  readonly url: string
  readonly title: string
  readonly description: string
  readonly body: string
  /** What the index knows of it. */
  readonly words: string
  /** When it was published as it says itself, else when its text was new to us. */
  readonly datedAt: Stamp
  readonly scrapedAt: Stamp
}

/** Data extracted from pages, or still to be. */
export interface ExtractJobTable {
  readonly id: string
  readonly teamId: string
  readonly apiKeyId: string
  /** As JSON. */
  readonly request: string
  readonly status: ColumnType<ExtractStatus, ExtractStatus | undefined, ExtractStatus>
  /** What was extracted, as JSON. */
  readonly answer: Nullable<string>
  /** Why nothing was. */
  readonly error: Nullable<string>
  /** Null: not billed yet. */
  readonly credits: Nullable<number>
  readonly createdAt: Stamp
}

/** How far an extraction is. */
export type ExtractStatus = 'processing' | 'completed' | 'failed'

interface SettingTable {
  readonly key: string
  readonly value: string
}

/** The tables as queries see them: columns are snake_case in SQL and camelCase here. */
export interface Database {
  readonly artifact: ArtifactTable
  readonly team: TeamTable
  readonly apiKey: ApiKeyTable
  readonly node: NodeTable
  readonly session: SessionTable
  readonly ledger: LedgerTable
  readonly profile: ProfileTable
  readonly profileVersion: ProfileVersionTable
  readonly scrape: ScrapeTable
  readonly trackedPage: TrackedPageTable
  readonly bulkJob: BulkJobTable
  readonly bulkPage: BulkPageTable
  readonly webhookDelivery: WebhookDeliveryTable
  readonly webhookSecret: WebhookSecretTable
  readonly indexedPage: IndexedPageTable
  readonly monitor: MonitorTable
  readonly monitorCheck: MonitorCheckTable
  readonly monitorPage: MonitorPageTable
  readonly monitorState: MonitorStateTable
  readonly mailSubscription: MailSubscriptionTable
  readonly mail: MailTable
  readonly runningWork: RunningWorkTable
  readonly rateWindow: RateWindowTable
  readonly activity: ActivityTable
  readonly extractJob: ExtractJobTable
  readonly setting: SettingTable
}
