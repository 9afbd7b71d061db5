import type { Database } from './schema.ts'

const tables: Readonly<Record<keyof Database, true>> = {
  artifact: true,
  team: true,
  apiKey: true,
  node: true,
  session: true,
  ledger: true,
  ledgerDay: true,
  extension: true,
  parseUpload: true,
  secret: true,
  profile: true,
  profileVersion: true,
  scrape: true,
  trackedPage: true,
  job: true,
  jobPage: true,
  webhookDelivery: true,
  webhookSecret: true,
  indexedPage: true,
  monitor: true,
  monitorCheck: true,
  monitorPage: true,
  monitorState: true,
  mailSubscription: true,
  mail: true,
  hold: true,
  rateWindow: true,
  activity: true,
  auditEvent: true,
  extractJob: true,
  agentJob: true,
  agentStep: true,
  setting: true,
}

/** Names of the tables of the latest schema in SQL, with the two of the migrations. */
export const tableNames: readonly string[] = [
  ...Object.keys(tables).map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  'kysely_migration',
  'kysely_migration_lock',
]
