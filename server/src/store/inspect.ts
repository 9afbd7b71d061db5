import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { sql, type Kysely } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import { lockFolder } from './lock.ts'
import { migrationNames } from './migrate.ts'
import { connectPostgres } from './open-postgres.ts'
import { startPglite } from './pglite.ts'
import { createQueryBuilder } from './create-query-builder.ts'
import type { Database } from './schema.ts'
import { createSingleConnection } from './single-connection.ts'
import type { Store, StoreOptions } from './store.ts'

/** Result of `inspectStore`. */
export interface StoreState {
  readonly kind: Store['kind']
  /** `absent`: the next start creates the schema. `older`: the next start migrates it. */
  readonly schema: 'absent' | 'older' | 'current'
}

/**
 * Connects to the store and reads its schema version without changing anything. Throws
 * DATA_DIR_IN_USE if a server is using the directory, STORE_FAILED if this version cannot use the
 * store.
 */
export async function inspectStore(options: Pick<StoreOptions, 'dataDir' | 'databaseUrl'>): Promise<StoreState> {
  const { dataDir, databaseUrl } = options
  if (databaseUrl !== undefined) {
    await using connection = await connectPostgres({ databaseUrl, log: undefined })
    return { kind: 'postgres', schema: await readSchemaState(connection.db) }
  }
  const folder = join(dataDir, 'pg')
  if (!(await exists(folder))) return { kind: 'pglite', schema: 'absent' }
  using _lock = await lockFolder(dataDir)
  await using lite = await startPglite({ folder })
  return { kind: 'pglite', schema: await readSchemaState(createQueryBuilder(createSingleConnection(lite).pool)) }
}

async function readSchemaState(db: Kysely<Database>): Promise<StoreState['schema']> {
  const { rows: tables } = await sql<{
    found: string | null
  }>`select to_regclass('kysely_migration')::text as found`.execute(db)
  if (tables[0]?.found == null) return 'absent'
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const applied = new Set(rows.map(({ name }) => name))
  const unknown = [...applied].find((name) => !migrationNames.includes(name))
  if (unknown !== undefined) {
    throw new BowlineError('STORE_FAILED', `The database schema is from a newer version of Bowline (${unknown})`, {
      hint: 'Run the newest version of Bowline that has used this database, or a later one.',
    })
  }
  return migrationNames.every((name) => applied.has(name)) ? 'current' : 'older'
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
