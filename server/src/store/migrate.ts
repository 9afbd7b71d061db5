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

/** Every step of the schema as statements, in order. A released step is never edited: add another. */
const steps: Readonly<Record<string, readonly string[]>> = {
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
}

/** The names of all steps, in order. */
export const migrationNames: readonly string[] = Object.keys(steps)

/** The whole schema as SQL: equal texts make equal schemas. */
export function schemaSql(): string {
  return Object.entries(steps)
    .map(([name, statements]) => [`-- ${name}`, ...statements].join(';\n'))
    .join('\n')
}

const migrations: Readonly<Record<string, Migration>> = Object.fromEntries(
  Object.entries(steps).map(([name, statements]) => [
    name,
    {
      up: async (db: Kysely<unknown>) => {
        for (const statement of statements) await sql.raw(statement).execute(db)
      },
    },
  ]),
)

/**
 * Brings the schema up to date, once, however many servers start at the same time.
 * Throws `STORE_FAILED` when a step fails, or when a newer version has already changed the schema.
 */
export async function migrate<Tables>(db: Kysely<Tables>): Promise<void> {
  const provider = { getMigrations: async () => migrations }
  const { error, results } = await new Migrator({ db, provider }).migrateToLatest()
  if (error === undefined) return
  const reason = error instanceof Error ? error.message : JSON.stringify(error)
  const failed = results?.find((result) => result.status === 'Error')
  if (isPermissionDenied(error)) {
    throw new BowlineError('STORE_FAILED', `The role of \`DATABASE_URL\` may not create tables: ${reason}`, {
      cause: error,
      hint: 'Make the role the owner of the database, or run `GRANT CREATE ON SCHEMA public TO <role>` as its owner.',
    })
  }
  if (failed !== undefined) {
    throw new BowlineError('STORE_FAILED', `Step ${failed.migrationName} of the database schema failed: ${reason}`, {
      cause: error,
    })
  }
  throw new BowlineError('STORE_FAILED', `The schema of the database does not fit this version: ${reason}`, {
    cause: error,
    hint: 'Run the newest version of Bowline that has used this database, or a newer one.',
  })
}

/** Since PostgreSQL 15 only the owner of a database may create tables in its schema `public`. */
function isPermissionDenied(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42501'
}
