/** The Bowline client: remote browser sessions, scraping, crawling, search and monitors. @module */
/// <reference lib="esnext.disposable" preserve="true" />
import './kit/require-node.ts'
export { Bowline } from './client/bowline.ts'
export type { ActivityOptions, ActivityRecord, ListActivity } from './client/activity.ts'
export type { JobListOptions, ListJobs } from './client/jobs.ts'
export type { AuditLogOptions, ListAuditLog } from './client/audit-log.ts'
export type { Bulk, JobRunOptions } from './client/bulk.ts'
export { BulkRun, type BulkCalls, type BulkOptions, type BulkProgress, type BulkResult } from './client/bulk-run.ts'
export type { BowlineOptions } from './client/config.ts'
export type { ConnectOptions, DrivenSession, Driver, Reuse } from './client/driver.ts'
export type { EmbeddedOptions } from './client/embedded.ts'
export type { ExecuteOptions, ExecuteResult } from './client/execute.ts'
export type { HandoffOptions, HandoffResult } from './client/handoff.ts'
export type { Keys } from './client/keys.ts'
export type { MapSite, SiteMap } from './client/map.ts'
export type { ItemScope, PoolFunction, PoolWork } from './client/pool/attempt.ts'
export type { PoolEstimate, PoolLoad } from './client/pool/estimate.ts'
export type { HostOptions, PoolOptions, RetryOptions } from './client/pool/options.ts'
export type {
  FailureKind,
  ItemDone,
  ItemFailed,
  ItemOutcome,
  PoolEvent,
  PoolProgress,
  PoolSummary,
  RetireReason,
} from './client/pool/outcome.ts'
export type { Pool, PoolRun } from './client/pool/pool.ts'
export type { SessionPrice } from './client/pool/session-price.ts'
export type { ItemOptions } from './client/pool/task.ts'
export type { CheckWithPages, ListPart, Monitors } from './client/monitors.ts'
export type { ParseFile } from './client/parse.ts'
export type { Extensions } from './client/extensions.ts'
export type { Secrets } from './client/secrets.ts'
export type { Profiles } from './client/profiles.ts'
export type { QueueProgress } from './contract/queue-progress.ts'
export type { CreateOptions, SessionLifetimeOptions, SessionTies } from './client/open-session.ts'
export type { ReapReport } from './client/reap-sessions.ts'
export type { EndedBy, EndOptions, Session, SessionBill } from './client/session.ts'
export type { SessionFiles, UploadOptions } from './client/session-files.ts'
export type { SessionRecordings } from './client/session-recordings.ts'
export type { Sessions } from './client/sessions.ts'
export type { Teams } from './client/teams.ts'
export type { Cost } from './contract/usage.ts'
export type {
  Balance,
  Concurrency,
  CostsOptions,
  GetConcurrency,
  Usage,
  UsageHistoryOptions,
  UsagePeriod,
} from './client/usage.ts'
export type { Webhooks } from './client/webhooks.ts'
export type { SessionOutcome, SessionScope, WithSessionOptions, Work } from './client/with-session.ts'
export type { EndReason, ProfileOutcome, SessionStatus, SessionSummary } from './contract/browser.ts'
export type { CreateSessionOptions, Profile, UpdateSessionOptions } from './contract/session-options.ts'
export type { SessionFile } from './contract/files.ts'
export type { CreateKeyOptions, CreateKeyResponse, KeySummary } from './contract/keys.ts'
export type { BatchInput } from './contract/batch.ts'
export type { CrawlInput } from './contract/crawl.ts'
export type { Action } from './contract/actions.ts'
export type { Document } from './contract/document.ts'
export type { FormatInput } from './contract/formats.ts'
export type { ParseInput } from './contract/parse.ts'
export type { ScrapeInput } from './contract/scrape.ts'
export type { SessionScrapeInput } from './contract/session-scrape.ts'
export type { Scraping } from './client/scraping.ts'
export type { AgentCalls, AgentResult } from './client/agent.ts'
export type { AgentEvent, AgentOptions, AgentStatusResponse, AgentTraceResponse } from './contract/agent.ts'
export type { Extracting, Extraction } from './client/extract.ts'
export type { ExtractOptions, ExtractStatusResponse } from './contract/extract.ts'
export type { Search, SearchResults } from './client/search.ts'
export type { ImageResult, NewsResult, SearchOptions, WebResult } from './contract/search.ts'
export type { MapLink, MapOptions } from './contract/map.ts'
export type { BrowserExtension } from './contract/extensions.ts'
export type { SecretOptions, SecretSummary } from './contract/secrets.ts'
export type { ProfileSummary, ProfileVersion, StorageState, StorageStateInput } from './contract/profiles.ts'
export type { Check, CheckPage, CheckSummary, Judgment, Monitor, PageDiff } from './contract/monitor-checks.ts'
export type { CreateMonitorOptions, UpdateMonitorOptions } from './contract/monitors.ts'
export type { Recording } from './contract/recordings.ts'
export type { ActivityEndpoint } from './contract/activity.ts'
export type { JobDetails, JobKind, JobStatusFilter, ListedJob } from './contract/jobs.ts'
export type { AuditAction } from './contract/audit-actions.ts'
export type { AuditEntry } from './contract/audit-log.ts'
export type { CreateTeamOptions, TeamChanges, TeamSummary } from './contract/teams.ts'
export type { Delivery, WebhookInput, WebhookSpec } from './contract/webhooks.ts'
export type { Abortable } from './kit/abort.ts'
export type { ErrorCode } from './kit/catalogue.ts'
export type { SeedEstimate } from './seeds/estimate-seeds.ts'
export type { SeedPattern } from './seeds/seed-filter.ts'
export { seeds, type Finder, type SeedMap, type SeedOptions, type Seeds, type SeedSearch } from './seeds/seeds.ts'
export { BowlineError, isBowlineError } from './kit/errors.ts'
