import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { sql, type Kysely } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import { deadAfterSeconds } from '../nodes/node-liveness.ts'
import { connectPostgres, openPostgres } from '../store/open-postgres.ts'
import type { Database } from '../store/schema.ts'
import { tableNames } from '../store/table-names.ts'
import type { BackupManifest } from './backup-manifest.ts'
import type { BackupReader } from './backup-reader.ts'
import { dumpName } from './dump-postgres.ts'
import { dropStatements, listTables, queueSchema, quoteName } from './postgres-tables.ts'
import { runPostgresTool } from './postgres-tool.ts'

/**
 * Throws STORE_FAILED if a PostgreSQL database has tables, unless they are to be replaced, and if
 * servers are running on it.
 */
export async function assertRestorable(
  databaseUrl: string,
  { store }: BackupManifest,
  { replace }: { readonly replace: boolean },
): Promise<void> {
  await using connection = await connectPostgres({ databaseUrl, connections: 2, log: undefined })
  const { db } = connection
  const { rows } = await sql<{ schema: string | null }>`select current_schema() as schema`.execute(db)
  const schema = rows[0]?.schema ?? ''
  if (schema !== store.schema) {
    throw new BowlineError(
      'STORE_FAILED',
      `The tables of the backup are in the schema ${store.schema}, but the connection uses ${schema || 'none'}`,
      { hint: 'Set `search_path` for the role, the database or in `--database-url`.' },
    )
  }
  const tables = await listTables(db)
  if (tables.length === 0) return
  if (!replace) {
    throw new BowlineError('STORE_FAILED', `The PostgreSQL database already has ${tables.length} tables`, {
      hint: 'Restore to an empty database, or add `--replace`, which deletes what this one has.',
    })
  }
  const foreign = tables.filter((name) => !tableNames.includes(name) && name !== queueSchema)
  if (foreign.length > 0) {
    throw new BowlineError(
      'STORE_FAILED',
      `The PostgreSQL database has tables that are not Bowline's: ${foreign.join(', ')}`,
      {
        hint: 'Restore to an empty database.',
      },
    )
  }
  if (tables.includes('node')) await assertNoServers(db)
}

/**
 * Restores the dump of a backup in one transaction, in place of the tables that are there, and
 * migrates it. Throws STORE_FAILED, and then nothing has changed unless the migration failed.
 */
export async function restorePostgres(
  reader: BackupReader,
  databaseUrl: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const schemas = [reader.manifest.store.schema, queueSchema]
  const preparation = await prepareSchemas(databaseUrl, schemas)
  // Naming the schemas leaves out their creation, which fails for `public`.
  const args = ['--no-owner', '--no-privileges', ...schemas.map((schema) => `--schema=${schema}`), '--file=-']
  const dump = runPostgresTool('pg_restore', { args, environment, input: await reader.read(dumpName) })
  const script = Readable.from(inTransaction(preparation, dump))
  const psql = runPostgresTool('psql', {
    args: ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', '--output=/dev/null', '--file=-'],
    environment,
    databaseUrl,
    input: script,
  })
  await finished(psql.resume())
  await using _migrated = await openPostgres({ databaseUrl, connections: 2, log: undefined })
}

/** Wraps a script in a transaction. If the script fails, the transaction has no end. */
async function* inTransaction(first: string, script: AsyncIterable<Buffer>): AsyncGenerator<Buffer | string> {
  yield `begin;\n${first}\n`
  yield* script
  yield '\ncommit;\n'
}

/** Returns statements that drop the tables of Bowline and create missing schemas. */
async function prepareSchemas(databaseUrl: string, schemas: readonly string[]): Promise<string> {
  await using connection = await connectPostgres({ databaseUrl, connections: 2, log: undefined })
  return [
    'set client_min_messages = warning',
    ...dropStatements(await listTables(connection.db)),
    ...schemas.map((schema) => `create schema if not exists ${quoteName(schema)}`),
    '',
  ].join(';\n')
}

async function assertNoServers(db: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select coalesce(url, id::text) as name from node
    where heartbeat_at > now() - make_interval(secs => ${deadAfterSeconds})`.execute(db)
  if (rows.length === 0) return
  throw new BowlineError(
    'STORE_FAILED',
    `Servers are running on the PostgreSQL database: ${rows.map(({ name }) => name).join(', ')}`,
    { hint: `Stop them first. A server that was killed counts as running for ${deadAfterSeconds} seconds.` },
  )
}
