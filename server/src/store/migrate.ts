import { sql, type Kysely } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import { BowlineError } from 'bowline/kit/errors'
import { firstTables } from './migrations/0001-first-tables.ts'
import { profiles } from './migrations/0002-profiles.ts'
import { scrapes } from './migrations/0003-scrapes.ts'
import { jobs } from './migrations/0004-bulk-jobs.ts'
import { search } from './migrations/0005-search.ts'
import { webhooks } from './migrations/0006-webhooks.ts'
import { monitors } from './migrations/0007-monitors.ts'
import { usage } from './migrations/0008-usage.ts'
import { extract } from './migrations/0009-extract.ts'
import { artifacts } from './migrations/0011-artifacts.ts'
import { extractEnd } from './migrations/0012-extract-end.ts'
import { packedScrapes } from './migrations/0013-packed-scrapes.ts'
import { activityErrors } from './migrations/0014-activity-errors.ts'
import { bootstrapKeys } from './migrations/0015-bootstrap-keys.ts'
import { storedPages } from './migrations/0016-stored-pages.ts'
import { heldPages } from './migrations/0017-held-pages.ts'
import { matchingTime } from './migrations/0018-matching-time.ts'
import { sourceUrls } from './migrations/0019-source-urls.ts'
import { jobTables } from './migrations/0020-job-tables.ts'
import { jobWarnings } from './migrations/0021-job-warnings.ts'
import { maxConcurrency } from './migrations/0022-max-concurrency.ts'
import { holds } from './migrations/0023-holds.ts'
import { jsonColumns } from './migrations/0024-json-columns.ts'
import { sessionLabels } from './migrations/0025-session-labels.ts'
import { sessionWebhooks } from './migrations/0026-session-webhooks.ts'
import { extensions } from './migrations/0027-extensions.ts'
import { parseUploads } from './migrations/0029-parse-uploads.ts'
import { sessionPrompts } from './migrations/0030-session-prompts.ts'
import { auditUsername } from './migrations/0031-audit-username.ts'
import { agents } from './migrations/0032-agents.ts'
import { secrets } from './migrations/0033-secrets.ts'
import { auditLog } from './migrations/0035-audit-log.ts'
import { sessionAlive } from './migrations/0036-session-alive.ts'
import { ledgerDays } from './migrations/0037-ledger-days.ts'
import { openWork } from './migrations/0039-open-work.ts'
import { placement } from './migrations/0041-placement.ts'
import { monitorStateChecked } from './migrations/0043-monitor-state-checked.ts'
import { sessionOptions } from './migrations/0045-session-options.ts'
import { healthSamples } from './migrations/0047-health-samples.ts'
import { jobList } from './migrations/0049-job-list.ts'
import { scheduleText } from './migrations/0051-schedule-text.ts'
import { checkCrashes } from './migrations/0053-check-crashes.ts'
import { wordCounts } from './migrations/0055-word-counts.ts'
import { loadedProfiles } from './migrations/0057-loaded-profiles.ts'
import { redirectedPages } from './migrations/0059-redirected-pages.ts'
import { scrapeReplays } from './migrations/0028-scrape-replays.ts'

/** Migrations as SQL statements, in order. Never edit a released one: add another. */
export const migrationStatements: Readonly<Record<string, readonly string[]>> = {
  '0001-first-tables': firstTables,
  '0002-profiles': profiles,
  '0003-scrapes': scrapes,
  '0004-bulk-jobs': jobs,
  '0005-search': search,
  '0006-webhooks': webhooks,
  '0007-monitors': monitors,
  '0008-usage': usage,
  '0009-extract': extract,
  '0011-artifacts': artifacts,
  '0012-extract-end': extractEnd,
  '0013-packed-scrapes': packedScrapes,
  '0014-activity-errors': activityErrors,
  '0015-bootstrap-keys': bootstrapKeys,
  '0016-stored-pages': storedPages,
  '0017-held-pages': heldPages,
  '0018-matching-time': matchingTime,
  '0019-source-urls': sourceUrls,
  '0020-job-tables': jobTables,
  '0021-job-warnings': jobWarnings,
  '0022-max-concurrency': maxConcurrency,
  '0023-holds': holds,
  '0024-json-columns': jsonColumns,
  '0025-session-labels': sessionLabels,
  '0026-session-webhooks': sessionWebhooks,
  '0027-extensions': extensions,
  '0028-scrape-replays': scrapeReplays,
  '0029-parse-uploads': parseUploads,
  '0030-session-prompts': sessionPrompts,
  '0031-audit-username': auditUsername,
  '0032-agents': agents,
  '0033-secrets': secrets,
  '0035-audit-log': auditLog,
  '0036-session-alive': sessionAlive,
  '0037-ledger-days': ledgerDays,
  '0039-open-work': openWork,
  '0041-placement': placement,
  '0043-monitor-state-checked': monitorStateChecked,
  '0045-session-options': sessionOptions,
  '0047-health-samples': healthSamples,
  '0049-job-list': jobList,
  '0051-schedule-text': scheduleText,
  '0053-check-crashes': checkCrashes,
  '0055-word-counts': wordCounts,
  '0057-loaded-profiles': loadedProfiles,
  '0059-redirected-pages': redirectedPages,
}

/** Names of all migrations, in order. */
export const migrationNames: readonly string[] = Object.keys(migrationStatements)

/** Returns the SQL of all migrations. */
export function schemaSql(): string {
  return Object.entries(migrationStatements)
    .map(([name, statements]) => [`-- ${name}`, ...statements].join(';\n'))
    .join('\n')
}

const migrations: Readonly<Record<string, Migration>> = Object.fromEntries(
  Object.entries(migrationStatements).map(([name, statements]) => [
    name,
    {
      up: async (db: Kysely<unknown>) => {
        for (const statement of statements) await sql.raw(statement).execute(db)
      },
    },
  ]),
)

/**
 * Migrates the schema to the latest version. Safe to call from several servers at once. Throws
 * STORE_FAILED if a migration fails or the schema is from a newer version.
 */
export async function migrate<Tables>(db: Kysely<Tables>): Promise<void> {
  const applied = (await readAppliedMigrations(db)) ?? []
  assertKnownSchema(applied)
  // Kysely would describe all tables first.
  if (migrationNames.every((name) => applied.includes(name))) return
  const provider = { getMigrations: async () => migrations }
  const { error, results } = await new Migrator({ db, provider }).migrateToLatest()
  if (error === undefined) return
  const reason = error instanceof Error ? error.message : JSON.stringify(error)
  const failed = results?.find((result) => result.status === 'Error')
  if (isPermissionDenied(error)) {
    throw new BowlineError('STORE_FAILED', `The role in \`DATABASE_URL\` may not create tables: ${reason}`, {
      cause: error,
      hint: 'Make the role the owner of the database, or run `GRANT CREATE ON SCHEMA public TO <role>` as its owner.',
    })
  }
  if (failed !== undefined) {
    throw new BowlineError('STORE_FAILED', `Migration ${failed.migrationName} failed: ${reason}`, {
      cause: error,
    })
  }
  throw new BowlineError(
    'STORE_FAILED',
    `The database schema is not compatible with this version of Bowline: ${reason}`,
    {
      cause: error,
      hint: 'Run the newest version of Bowline that has used this database, or a later one.',
    },
  )
}

/**
 * Returns the names of the migrations that a database has. Undefined if it has never been migrated.
 * Throws STORE_FAILED if the role may not read them.
 */
export async function readAppliedMigrations<Tables>(db: Kysely<Tables>): Promise<readonly string[] | undefined> {
  const found = await sql<{ name: string | null }>`select to_regclass('kysely_migration')::text as name`.execute(db)
  if (found.rows[0]?.name == null) return undefined
  const query = sql<{ name: string }>`select name from kysely_migration order by name`
  const { rows } = await query.execute(db).catch((error: unknown) => {
    throw isPermissionDenied(error) ? missingTableRights(error) : error
  })
  return rows.map(({ name }) => name)
}

function missingTableRights(cause: Error): BowlineError {
  return new BowlineError(
    'STORE_FAILED',
    `The role in \`DATABASE_URL\` has no access to the tables: ${cause.message}`,
    {
      cause,
      hint: 'Use the role that owns the tables: the one with which Bowline was first started.',
    },
  )
}

/** Throws STORE_FAILED if a database has a migration that this version does not have. */
export function assertKnownSchema(applied: readonly string[] = []): void {
  const unknown = applied.findLast((name) => !migrationNames.includes(name))
  if (unknown === undefined) return
  throw new BowlineError(
    'STORE_FAILED',
    `The database has the schema ${unknown} of a newer version of Bowline. This version knows schemas up to ${migrationNames.at(-1)} and would damage it`,
    {
      hint: 'Run the newest version of Bowline that has used this database, or a later one. To go back to this version, restore a backup that was made before the upgrade.',
    },
  )
}

/**
 * Whether PostgreSQL denied a permission. Since version 15, only owners may create tables in
 * `public`.
 */
function isPermissionDenied(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === '42501'
}
