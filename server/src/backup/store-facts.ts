import { sql, type Kysely } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import { profileKeyId, profileKeyName } from '../profiles/profile-key.ts'
import { assertKnownSchema, readAppliedMigrations } from '../store/migrate.ts'
import type { Database } from '../store/schema.ts'
import { findSetting } from '../store/settings.ts'

/** Facts about a database that a backup records. */
export interface StoreFacts {
  /** Major version of PostgreSQL. */
  readonly major: number
  /** Schema of the tables. */
  readonly schema: string
  readonly migrations: readonly string[]
  /** Ids of the keys that encrypted its profiles and secrets. */
  readonly keyIds: readonly string[]
  /** Id of the profile key that is stored in the database. Undefined if none is. */
  readonly storedKeyId?: string | undefined
}

/** Reads the facts of a database. Throws STORE_FAILED if it is empty or has a newer schema. */
export async function readStoreFacts(db: Kysely<Database>): Promise<StoreFacts> {
  const migrations = await readAppliedMigrations(db)
  if (migrations === undefined) {
    throw new BowlineError('STORE_FAILED', 'The database has no tables of Bowline: there is nothing to back up')
  }
  assertKnownSchema(migrations)
  const { rows } = await sql<{ version: string; schema: string }>`
    select current_setting('server_version_num') as version, current_schema() as schema`.execute(db)
  const [{ version, schema } = { version: '0', schema: 'public' }] = rows
  const storedKey = await findSetting(db, profileKeyName)
  return {
    major: Math.floor(Number(version) / 10_000),
    schema,
    migrations,
    keyIds: await readKeyIds(db, migrations),
    storedKeyId: storedKey === undefined ? undefined : profileKeyId(storedKey),
  }
}

async function readKeyIds(db: Kysely<Database>, migrations: readonly string[]): Promise<readonly string[]> {
  const versions = migrations.includes('0002-profiles')
    ? await db.selectFrom('profileVersion').select('keyId').distinct().execute()
    : []
  const secrets = migrations.includes('0033-secrets')
    ? await db.selectFrom('secret').select('keyId').distinct().execute()
    : []
  return [...new Set([...versions, ...secrets].map(({ keyId }) => keyId))].sort()
}
