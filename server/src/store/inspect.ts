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

/** The state of a store that nobody has changed by looking. */
export interface StoreState {
  readonly kind: Store['kind']
  /** `absent`: the next start creates it; `older`: the next start migrates it. */
  readonly schema: 'absent' | 'older' | 'current'
}

/**
 * Connects to the store and reads its schema version. Creates and migrates nothing.
 * Throws `DATA_DIR_IN_USE` when a server runs on it, `STORE_FAILED` when it cannot be used by this version.
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
    throw new BowlineError('STORE_FAILED', `A newer version of Bowline has changed the database schema (${unknown})`, {
      hint: 'Run the newest version of Bowline that has used this database, or a newer one.',
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
