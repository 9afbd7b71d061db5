import { connectPostgres } from '../store/open-postgres.ts'
import type { BackupWriter } from './backup-writer.ts'
import { queueSchema, quoteName } from './postgres-tables.ts'
import { runPostgresTool } from './postgres-tool.ts'
import { readStoreFacts, type StoreFacts } from './store-facts.ts'

/** Name of the dump of PostgreSQL in a backup. */
export const dumpName = 'database.dump'

/**
 * Adds a dump of PostgreSQL to a backup, at one point in time. Throws PACKAGE_MISSING without
 * `pg_dump`, and STORE_FAILED if it fails.
 */
export async function dumpPostgres(
  writer: BackupWriter,
  databaseUrl: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<StoreFacts> {
  await using connection = await connectPostgres({ databaseUrl, connections: 2, log: undefined })
  const facts = await readStoreFacts(connection.db)
  const schemas = [`--schema=${quoteName(facts.schema)}`, `--schema=${queueSchema}`]
  const args = ['--format=custom', '--no-owner', '--no-privileges', ...schemas]
  await writer.write(dumpName, runPostgresTool('pg_dump', { args, environment, databaseUrl }))
  return facts
}
