import type { EgressSettings } from '../egress/egress.ts'
import type { ServerConfig } from '../config.ts'
import { databaseAddresses } from '../kit/database-url.ts'
import { packageVersion } from '../version.ts'
import type { ApiServerSettings } from './open-api-server.ts'
import type { BlobSettings } from '../blobs/configured-blobs.ts'
import type { BrowserSettings } from './open-browsers.ts'
import type { SharedSettings } from './shared-deps.ts'
import type { OptionalFeatures } from './check-packages.ts'
import type { ProfileSettings } from './open-profiles.ts'
import type { ServiceSettings } from './open-services.ts'
import type { SessionSettings } from './open-sessions.ts'
import type { StorageSettings } from './open-storage.ts'
import type { TracingSettings } from '../tracing/open-tracing.ts'

/** The settings of every part that the composition root opens. */
export interface PartSettings {
  readonly features: OptionalFeatures
  readonly tracing: TracingSettings
  readonly storage: StorageSettings
  readonly blobs: BlobSettings
  readonly browsers: BrowserSettings
  readonly egress: EgressSettings
  readonly profiles: ProfileSettings
  readonly shared: SharedSettings
  readonly usage: Pick<ServerConfig, 'rateLimits'>
  readonly services: ServiceSettings
  readonly sessions: SessionSettings
  readonly api: ApiServerSettings
}

/**
 * Splits the configuration into the settings of each part. Each part receives only the settings
 * that it reads, so that each secret reaches only the parts that use it.
 */
export function partSettings(config: ServerConfig): PartSettings {
  const { dataDir } = config
  return {
    features: {
      hasBucket: config.blobs?.startsWith('s3:') === true,
      hasAdLists: config.adLists.length > 0,
      hasMail: config.smtpUrl !== undefined,
      hasTraces: config.otlpEndpoint !== undefined,
    },
    tracing: { otlpEndpoint: config.otlpEndpoint, traceRatio: config.traceRatio, version: packageVersion },
    storage: {
      dataDir,
      apiKey: config.apiKey,
      databaseUrl: config.databaseUrl,
      databaseConnections: config.databaseConnections,
    },
    blobs: {
      dataDir,
      blobs: config.blobs,
      s3AccessKeyId: config.s3AccessKeyId,
      s3SecretAccessKey: config.s3SecretAccessKey,
      s3SessionToken: config.s3SessionToken,
    },
    browsers: { dataDir, browser: config.browser, isolation: config.isolation, warm: config.warm },
    egress: {
      allow: config.allow,
      proxyBasic: config.proxyBasic,
      proxyEnhanced: config.proxyEnhanced,
      databases: databaseAddresses(config.databaseUrl),
    },
    profiles: {
      dataDir,
      profileKey: config.profileKey,
      previousProfileKeys: config.previousProfileKeys,
      profileQuota: config.profileQuota,
      profileVersions: config.profileVersions,
    },
    shared: {
      prices: config.prices,
      maxSessions: config.maxSessions,
      maxPages: config.maxPages,
      maxExtensions: config.maxExtensions,
    },
    usage: { rateLimits: config.rateLimits },
    services: serviceSettings(config),
    sessions: {
      maxFiles: config.maxFiles,
      maxFilesMb: config.maxFilesMb,
      keptFilesHours: config.keptFilesHours,
      recordingDays: config.recordingDays,
      maxRecordingMb: config.maxRecordingMb,
      isolation: config.isolation,
      execution: config.execution,
    },
    api: apiSettings(config),
  }
}

function apiSettings(config: ServerConfig): ApiServerSettings {
  return {
    dataDir: config.dataDir,
    warm: config.warm,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    tlsCert: config.tlsCert,
    tlsKey: config.tlsKey,
    metricsToken: config.metricsToken,
    maxConnections: config.maxConnections,
    maxTtl: config.maxTtl,
    execution: config.execution,
    drainTimeout: config.drainTimeout,
    resumeSeconds: config.resumeSeconds,
    mcpTools: config.mcpTools,
    mcpDomains: config.mcpDomains,
    maxMcpTeams: config.maxMcpTeams,
  }
}

function serviceSettings(config: ServerConfig): ServiceSettings {
  const { dataDir, publicUrl, llmUrl: url, llmModel: model, llmKey: key } = config
  return {
    searches: {
      search: config.search,
      searxngUrl: config.searxngUrl,
      braveKey: config.braveKey,
      braveUrl: config.braveUrl,
      searchPages: config.searchPages,
    },
    languageModel: url === undefined ? undefined : { url, model, key },
    scrapes: {
      dataDir,
      hasEnhancedProxy: config.proxyEnhanced !== undefined,
      maxPages: config.maxPages,
      adLists: config.adLists,
    },
    webhooks: { webhookSecret: config.webhookSecret, version: packageVersion },
    mail: { smtpUrl: config.smtpUrl, mailFrom: config.mailFrom, mailTrusted: config.mailTrusted, publicUrl },
    maxMonitors: config.maxMonitors,
    jobs: {
      maxBulkPages: config.maxBulkPages,
      maxHostPages: config.maxHostPages,
      hostDelay: config.hostDelay,
      robots: config.robots,
    },
  }
}
