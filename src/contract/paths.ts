/** Version of the API. */
export type ApiVersion = 'v1' | 'v2'

/** Method and paths of a route. Parameters of paths are written `{name}`. */
export interface RoutePath {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  readonly path: string
  /** Version of `path` and `aliases`. Default: v2. */
  readonly version?: ApiVersion
  /** Additional paths in the same version. */
  readonly aliases?: readonly string[]
  /** Paths of the same route in API v1. */
  readonly v1Paths?: readonly string[]
}

/** Methods and paths of all routes. Does not import schemas, so that web pages can use it. */
export const paths = {
  createSession: { method: 'POST', path: '/v2/browser', aliases: ['/v2/interact'] },
  listSessions: { method: 'GET', path: '/v2/browser', aliases: ['/v2/interact'] },
  getSession: { method: 'GET', path: '/v2/browser/{id}', aliases: ['/v2/interact/{id}'] },
  updateSession: { method: 'PATCH', path: '/v2/browser/{id}', aliases: ['/v2/interact/{id}'] },
  deleteSession: { method: 'DELETE', path: '/v2/browser/{id}', aliases: ['/v2/interact/{id}'] },
  deleteSessionByBody: { method: 'DELETE', path: '/v2/browser', aliases: ['/v2/interact'] },
  listFiles: { method: 'GET', path: '/v2/browser/{id}/files', aliases: ['/v2/interact/{id}/files'] },
  uploadFile: { method: 'POST', path: '/v2/browser/{id}/files', aliases: ['/v2/interact/{id}/files'] },
  downloadFile: { method: 'GET', path: '/v2/browser/{id}/files/{name}', aliases: ['/v2/interact/{id}/files/{name}'] },
  deleteFile: { method: 'DELETE', path: '/v2/browser/{id}/files/{name}', aliases: ['/v2/interact/{id}/files/{name}'] },
  listRecordings: { method: 'GET', path: '/v2/browser/{id}/recordings', aliases: ['/v2/interact/{id}/recordings'] },
  readRecording: {
    method: 'GET',
    path: '/v2/browser/{id}/recordings/{name}',
    aliases: ['/v2/interact/{id}/recordings/{name}'],
  },
  startHandoff: { method: 'POST', path: '/v2/browser/{id}/handoff', aliases: ['/v2/interact/{id}/handoff'] },
  getHandoff: {
    method: 'GET',
    path: '/v2/browser/{id}/handoff/{handoffId}',
    aliases: ['/v2/interact/{id}/handoff/{handoffId}'],
  },
  cancelHandoff: {
    method: 'DELETE',
    path: '/v2/browser/{id}/handoff/{handoffId}',
    aliases: ['/v2/interact/{id}/handoff/{handoffId}'],
  },
  execute: { method: 'POST', path: '/v2/browser/{id}/execute', aliases: ['/v2/interact/{id}/execute'] },
  scrapeSession: { method: 'POST', path: '/v2/browser/{id}/scrape', aliases: ['/v2/interact/{id}/scrape'] },
  scrape: { method: 'POST', path: '/v2/scrape' },
  v1Scrape: { method: 'POST', path: '/v1/scrape', version: 'v1' },
  getScrape: { method: 'GET', path: '/v2/scrape/{id}', v1Paths: ['/v1/scrape/{id}'] },
  interact: { method: 'POST', path: '/v2/scrape/{id}/interact' },
  stopInteraction: { method: 'DELETE', path: '/v2/scrape/{id}/interact' },
  parse: { method: 'POST', path: '/v2/parse' },
  createParseUpload: { method: 'POST', path: '/v2/parse/upload-url' },
  listParseFormats: { method: 'GET', path: '/v2/parse/formats' },
  startBatch: { method: 'POST', path: '/v2/batch/scrape' },
  startV1Batch: { method: 'POST', path: '/v1/batch/scrape', version: 'v1' },
  getBatch: { method: 'GET', path: '/v2/batch/scrape/{id}', v1Paths: ['/v1/batch/scrape/{id}'] },
  cancelBatch: { method: 'DELETE', path: '/v2/batch/scrape/{id}', v1Paths: ['/v1/batch/scrape/{id}'] },
  getBatchErrors: { method: 'GET', path: '/v2/batch/scrape/{id}/errors', v1Paths: ['/v1/batch/scrape/{id}/errors'] },
  startCrawl: { method: 'POST', path: '/v2/crawl' },
  startV1Crawl: { method: 'POST', path: '/v1/crawl', version: 'v1' },
  listActiveCrawls: {
    method: 'GET',
    path: '/v2/crawl/active',
    aliases: ['/v2/crawl/ongoing'],
    v1Paths: ['/v1/crawl/active', '/v1/crawl/ongoing'],
  },
  previewCrawl: { method: 'POST', path: '/v2/crawl/params-preview' },
  getCrawl: { method: 'GET', path: '/v2/crawl/{id}', v1Paths: ['/v1/crawl/{id}'] },
  cancelCrawl: { method: 'DELETE', path: '/v2/crawl/{id}', v1Paths: ['/v1/crawl/{id}'] },
  getCrawlErrors: { method: 'GET', path: '/v2/crawl/{id}/errors', v1Paths: ['/v1/crawl/{id}/errors'] },
  listProfiles: { method: 'GET', path: '/v2/browser/profiles' },
  getProfile: { method: 'GET', path: '/v2/browser/profiles/{name}' },
  deleteProfile: { method: 'DELETE', path: '/v2/browser/profiles/{name}' },
  listProfileVersions: { method: 'GET', path: '/v2/browser/profiles/{name}/versions' },
  rollBackProfile: { method: 'POST', path: '/v2/browser/profiles/{name}/versions/{version}/rollback' },
  exportStorageState: { method: 'GET', path: '/v2/browser/profiles/{name}/storage-state' },
  importStorageState: { method: 'PUT', path: '/v2/browser/profiles/{name}/storage-state' },
  uploadExtension: { method: 'POST', path: '/v2/browser/extensions' },
  listExtensions: { method: 'GET', path: '/v2/browser/extensions' },
  getExtension: { method: 'GET', path: '/v2/browser/extensions/{id}' },
  deleteExtension: { method: 'DELETE', path: '/v2/browser/extensions/{id}' },
  setSecret: { method: 'PUT', path: '/v2/secrets/{name}' },
  listSecrets: { method: 'GET', path: '/v2/secrets' },
  getSecret: { method: 'GET', path: '/v2/secrets/{name}' },
  deleteSecret: { method: 'DELETE', path: '/v2/secrets/{name}' },
  createKey: { method: 'POST', path: '/v2/team/keys' },
  listKeys: { method: 'GET', path: '/v2/team/keys' },
  revokeKey: { method: 'DELETE', path: '/v2/team/keys/{id}' },
  createMonitor: { method: 'POST', path: '/v2/monitor' },
  listMonitors: { method: 'GET', path: '/v2/monitor' },
  getMonitor: { method: 'GET', path: '/v2/monitor/{id}' },
  updateMonitor: { method: 'PATCH', path: '/v2/monitor/{id}' },
  deleteMonitor: { method: 'DELETE', path: '/v2/monitor/{id}' },
  runMonitor: { method: 'POST', path: '/v2/monitor/{id}/run' },
  listChecks: { method: 'GET', path: '/v2/monitor/{id}/checks' },
  getCheck: { method: 'GET', path: '/v2/monitor/{id}/checks/{checkId}' },
  listDeliveries: { method: 'GET', path: '/v2/team/webhooks/deliveries' },
  getDelivery: { method: 'GET', path: '/v2/team/webhooks/deliveries/{id}' },
  redeliver: { method: 'POST', path: '/v2/team/webhooks/deliveries/{id}/redeliver' },
  makeWebhookSecret: { method: 'POST', path: '/v2/team/webhooks/secret' },
  deleteWebhookSecret: { method: 'DELETE', path: '/v2/team/webhooks/secret' },
  listTeams: { method: 'GET', path: '/v2/teams' },
  createTeam: { method: 'POST', path: '/v2/teams' },
  updateTeam: { method: 'PATCH', path: '/v2/teams/{id}' },
  activity: { method: 'GET', path: '/v2/team/activity' },
  auditLog: { method: 'GET', path: '/v2/audit-log' },
  creditUsage: { method: 'GET', path: '/v2/team/credit-usage' },
  creditUsageV1: { method: 'GET', path: '/v1/team/credit-usage', version: 'v1' },
  tokenUsage: { method: 'GET', path: '/v2/team/token-usage' },
  tokenUsageV1: { method: 'GET', path: '/v1/team/token-usage', version: 'v1' },
  creditHistory: {
    method: 'GET',
    path: '/v2/team/credit-usage/historical',
    v1Paths: ['/v1/team/credit-usage/historical'],
  },
  tokenHistory: {
    method: 'GET',
    path: '/v2/team/token-usage/historical',
    v1Paths: ['/v1/team/token-usage/historical'],
  },
  queueStatus: { method: 'GET', path: '/v2/team/queue-status', v1Paths: ['/v1/team/queue-status'] },
  concurrencyCheck: { method: 'GET', path: '/v2/concurrency-check', v1Paths: ['/v1/concurrency-check'] },
  map: { method: 'POST', path: '/v2/map' },
  mapV1: { method: 'POST', path: '/v1/map', version: 'v1' },
  search: { method: 'POST', path: '/v2/search' },
  startExtract: { method: 'POST', path: '/v2/extract' },
  startExtractV1: { method: 'POST', path: '/v1/extract', version: 'v1' },
  getExtract: { method: 'GET', path: '/v2/extract/{id}', v1Paths: ['/v1/extract/{id}'] },
  startAgent: { method: 'POST', path: '/v2/agent' },
  getAgent: { method: 'GET', path: '/v2/agent/{id}' },
  cancelAgent: { method: 'DELETE', path: '/v2/agent/{id}' },
  getAgentTrace: { method: 'GET', path: '/v2/agent/{id}/trace' },
  getAgentSnapshot: { method: 'GET', path: '/v2/agent/{id}/snapshots/{snapshotId}' },
  searchV1: { method: 'POST', path: '/v1/search', version: 'v1' },
} as const satisfies Record<string, RoutePath>

/** Name of a route. */
export type PathName = keyof typeof paths
