import { findAgent, listSteps } from '../../../src/agent/agent-queries.ts'
import { listArtifacts } from '../../../src/artifacts/artifact-queries.ts'
import { listAuditRows } from '../../../src/audit/audit-queries.ts'
import { heldCredits } from '../../../src/billing/account.ts'
import { lastBilledAt, sumUsage } from '../../../src/billing/ledger.ts'
import { listLedger } from '../../billing/list-ledger.ts'
import { listExtensions } from '../../../src/extensions/extension-queries.ts'
import { findExtractJob } from '../../../src/extract/extract-job-queries.ts'
import { listCompletedPages, listFailedPages } from '../../../src/jobs/job-page-queries.ts'
import { findJob } from '../../../src/jobs/job-queries.ts'
import { listChecks } from '../../../src/monitors/queries/checks.ts'
import { findMail, listSubscriptions } from '../../../src/monitors/queries/mails.ts'
import { listMonitors } from '../../../src/monitors/queries/monitors.ts'
import { findState, listPages } from '../../../src/monitors/queries/pages.ts'
import { listHealth } from '../../../src/nodes/health-samples.ts'
import { listNodes } from '../../../src/nodes/node-queries.ts'
import { listProfiles, listVersions } from '../../../src/profiles/profile-queries.ts'
import { recordingKind } from '../../../src/recordings/recording-details.ts'
import { unpackDocument } from '../../../src/scrape/document/pack-document.ts'
import { findReplay, findScrape, findStoredPages, findTrackedPage } from '../../../src/scrape/queries/scrapes.ts'
import { findUpload } from '../../../src/scrape/uploads/upload-queries.ts'
import { findIndexedPages } from '../../../src/search/find-indexed-pages.ts'
import { readTerms } from '../../../src/search/query-terms.ts'
import { foldWordChanges, readStatistics } from '../../../src/search/word-count-queries.ts'
import { listSecrets } from '../../../src/secrets/secret-queries.ts'
import { labelsOf } from '../../../src/sessions/session-labels.ts'
import { activeSessionsOfNode, getTeamSession } from '../../../src/sessions/session-queries.ts'
import type { Database } from '../../../src/store/schema.ts'
import { findSetting } from '../../../src/store/settings.ts'
import type { Store } from '../../../src/store/store.ts'
import { listKeys } from '../../../src/teams/key-queries.ts'
import { listTeams } from '../../../src/teams/team-queries.ts'
import { listActivities } from '../../../src/usage/activity-queries.ts'
import { countRequest } from '../../../src/usage/rate-window-queries.ts'
import { findDelivery, findWebhookSecret, listDeliveries, payloadOf } from '../../../src/webhooks/webhook-queries.ts'

/** Returns the id of a row: those of the SQL files differ in their last digits. */
export function rowId(digits: string): string {
  return `00000000-0000-7000-8000-${digits.padStart(12, '0')}`
}

function fail(error: Error): never {
  throw error
}

const teamId = rowId('1')
const monitorId = rowId('f')
const all = { limit: 10, skip: 0, offset: 0 }

const search = {
  configurations: ['english'],
  anyOf: [],
  rankedBy: [],
  textsAnyOf: [],
  phrases: [],
  exactPhrases: [],
  excludedTexts: [],
  excludedPhrases: [],
  keys: ['first'],
  keysAnyOf: [],
  excludedKeys: [],
  preferredKeys: [],
  averageLength: 0,
  from: undefined,
  until: undefined,
  limit: 10,
} as const

/** Reads the rows of each table with the queries of the product. Throws if one is unreadable. */
export function readRows({ db }: Store): Readonly<Record<keyof Database, () => Promise<unknown>>> {
  return {
    team: async () => listTeams(db),
    apiKey: async () => listKeys(db),
    node: async () => listNodes(db),
    healthSample: async () => listHealth(db, { hours: 24, stepMinutes: 6 }),
    session: async () => {
      const ended = await getTeamSession(db, rowId('4'), teamId)
      return { ended, labels: labelsOf(ended, fail), active: await activeSessionsOfNode(db, rowId('3')) }
    },
    hold: async () => [await heldCredits(db, rowId('5')), await heldCredits(db, rowId('6'))],
    ledger: async () => listLedger(db, { teamId }),
    ledgerDay: async () => ({
      months: await sumUsage(db, { teamId, period: 'month', byApiKey: true }),
      last: await lastBilledAt(db, teamId),
    }),
    setting: async () => findSetting(db, 'webhook-secret'),
    activity: async () => listActivities(db, { teamId, since: new Date(0), limit: 10 }),
    rateWindow: async () => countRequest(db, teamId, '/scrape'),
    profile: async () => listProfiles(db, { teamId }),
    profileVersion: async () => listVersions(db, rowId('9')),
    artifact: async () => listArtifacts(db, recordingKind, rowId('4'), fail),
    scrape: async () => {
      const row = await findScrape(db, rowId('7'))
      const page = { teamId, cacheKey: 'cache key', from: new Date(0), until: new Date(Date.now() + 60_000) }
      return {
        document: row?.document && (await unpackDocument(row.id, row.document)),
        pages: await findStoredPages(db, page, fail),
        replay: await findReplay(db, rowId('7')),
      }
    },
    trackedPage: async () => findTrackedPage(db, teamId, ['tracking key']),
    indexedPage: async () => {
      const statistics = await readStatistics(db, teamId)
      const scope = { teamId, statistics, configurations: search.configurations }
      return findIndexedPages(db, { ...search, ...(await readTerms(db, ['lighthouses'], scope)) })
    },
    indexedWord: async () => readStatistics(db, teamId),
    indexedWordChange: async () => foldWordChanges(db, 1),
    job: async () => findJob(db, rowId('b')),
    jobPage: async () => [
      ...(await listCompletedPages(db, rowId('b'), all)),
      ...(await listFailedPages(db, rowId('b'))),
    ],
    extractJob: async () => findExtractJob(db, rowId('d')),
    webhookSecret: async () => findWebhookSecret(db, teamId),
    webhookDelivery: async () => {
      const delivery = await findDelivery(db, rowId('e'))
      return {
        delivery,
        payload: delivery && payloadOf(delivery),
        listed: await listDeliveries(db, { teamId, ...all }, fail),
      }
    },
    monitor: async () => listMonitors(db, { teamId, ...all }, fail),
    monitorCheck: async () => listChecks(db, { monitorId, ...all }, fail),
    monitorPage: async () => listPages(db, { checkId: rowId('11'), ...all }, fail),
    monitorState: async () => findState(db, { monitorId, targetId: rowId('10'), urlHash: 'url hash' }),
    mailSubscription: async () => listSubscriptions(db, [monitorId]),
    mail: async () => findMail(db, rowId('14')),
    extension: async () => listExtensions(db, { teamId }),
    parseUpload: async () => findUpload(db, rowId('16')),
    secret: async () => listSecrets(db, teamId),
    auditEvent: async () => listAuditRows(db, { limit: 10 }),
    agentJob: async () => findAgent(db, rowId('18')),
    agentStep: async () => listSteps(db, rowId('18')),
  }
}
