import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { lockFolder } from './lock.ts'
import { assertKnownSchema, migrationNames, readAppliedMigrations } from './migrate.ts'
import { connectPostgres } from './open-postgres.ts'
import { startPglite } from './pglite.ts'
import { createQueryBuilder } from './create-query-builder.ts'
import type { Database } from './schema.ts'
import { createSingleConnection } from './single-connection.ts'
import type { Store, StoreOptions } from './store.ts'
import { pathExists } from '../kit/path-exists.ts'

/** Result of `inspectStore`. */
export interface StoreState {
  readonly kind: Store['kind']
  /** `absent`: the next start creates the schema. `older`: the next start migrates it. */
  readonly schema: 'absent' | 'older' | 'current'
}

/**
 * Connects to the store and reads its schema version without changing anything. Throws
 * DATA_DIR_IN_USE if a server is using the directory, STORE_FAILED if this version cannot use the
 * store. `read` reads from a store with the current schema.
 */
export async function inspectStore(
  options: Pick<StoreOptions, 'dataDir' | 'databaseUrl'>,
  read?: (kind: Store['kind'], db: Kysely<Database>) => Promise<void>,
): Promise<StoreState> {
  const { dataDir, databaseUrl } = options
  if (databaseUrl !== undefined) {
    await using connection = await connectPostgres({ databaseUrl, log: undefined })
    return await readState('postgres', connection.db, read)
  }
  const folder = join(dataDir, 'pg')
  if (!(await pathExists(folder))) return { kind: 'pglite', schema: 'absent' }
  using _lock = await lockFolder(dataDir)
  await using lite = await startPglite({ folder })
  return await readState('pglite', createQueryBuilder(createSingleConnection(lite).pool), read)
}

async function readState(
  kind: Store['kind'],
  db: Kysely<Database>,
  read: Parameters<typeof inspectStore>[1],
): Promise<StoreState> {
  const schema = await readSchemaState(db)
  if (schema === 'current') await read?.(kind, db)
  return { kind, schema }
}

async function readSchemaState(db: Kysely<Database>): Promise<StoreState['schema']> {
  const applied = await readAppliedMigrations(db)
  if (applied === undefined) return 'absent'
  assertKnownSchema(applied)
  return migrationNames.every((name) => applied.includes(name)) ? 'current' : 'older'
}
