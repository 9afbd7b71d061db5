import type {
  ActivityTable,
  ApiKeyTable,
  HoldTable,
  LedgerDayTable,
  LedgerTable,
  RateWindowTable,
  TeamTable,
} from './tables/accounts.ts'
import type { AuditEventTable } from './tables/audit.ts'
import type { AgentJobTable, AgentStepTable } from './tables/agents.ts'
import type { JobTable, JobPageTable } from './tables/jobs.ts'
import type {
  MailSubscriptionTable,
  MailTable,
  MonitorCheckTable,
  MonitorPageTable,
  MonitorStateTable,
  MonitorTable,
} from './tables/monitors.ts'
import type { ExtractJobTable, ScrapeTable, TrackedPageTable } from './tables/pages.ts'
import type { IndexedPageTable, IndexedWordChangeTable, IndexedWordTable } from './tables/search-index.ts'
import type { ProfileTable, ProfileVersionTable } from './tables/profiles.ts'
import type { ExtensionTable } from './tables/extensions.ts'
import type { SecretTable } from './tables/secrets.ts'
import type { ParseUploadTable } from './tables/parse-uploads.ts'
import type { HealthSampleTable } from './tables/health.ts'
import type { ArtifactTable, NodeTable, SessionTable } from './tables/sessions.ts'
import type { WebhookDeliveryTable, WebhookSecretTable } from './tables/webhooks.ts'

interface SettingTable {
  readonly key: string
  readonly value: string
}

/** Database tables for Kysely. Columns are snake_case in SQL and camelCase here. */
export interface Database {
  readonly artifact: ArtifactTable
  readonly team: TeamTable
  readonly apiKey: ApiKeyTable
  readonly node: NodeTable
  readonly healthSample: HealthSampleTable
  readonly session: SessionTable
  readonly ledger: LedgerTable
  readonly ledgerDay: LedgerDayTable
  readonly extension: ExtensionTable
  readonly parseUpload: ParseUploadTable
  readonly secret: SecretTable
  readonly profile: ProfileTable
  readonly profileVersion: ProfileVersionTable
  readonly scrape: ScrapeTable
  readonly trackedPage: TrackedPageTable
  readonly job: JobTable
  readonly jobPage: JobPageTable
  readonly webhookDelivery: WebhookDeliveryTable
  readonly webhookSecret: WebhookSecretTable
  readonly indexedPage: IndexedPageTable
  readonly indexedWord: IndexedWordTable
  readonly indexedWordChange: IndexedWordChangeTable
  readonly monitor: MonitorTable
  readonly monitorCheck: MonitorCheckTable
  readonly monitorPage: MonitorPageTable
  readonly monitorState: MonitorStateTable
  readonly mailSubscription: MailSubscriptionTable
  readonly mail: MailTable
  readonly hold: HoldTable
  readonly rateWindow: RateWindowTable
  readonly activity: ActivityTable
  readonly auditEvent: AuditEventTable
  readonly extractJob: ExtractJobTable
  readonly agentJob: AgentJobTable
  readonly agentStep: AgentStepTable
  readonly setting: SettingTable
}
