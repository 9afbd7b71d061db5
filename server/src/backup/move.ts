import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Kysely } from 'kysely'
import { BowlineError } from 'bowline/kit/errors'
import { uuidV7 } from 'bowline/kit/ids'
import { parseBlobLocation } from '../blobs/blobs.ts'
import { configuredBlobs, configuredCredentials } from '../blobs/configured-blobs.ts'
import { profileKeyName, readKeyFile } from '../profiles/profile-key.ts'
import { upgradeQueueTables } from '../queue/upgrade-queue-tables.ts'
import { copyFolder } from '../store/copy-folder.ts'
import { lockFolder } from '../store/lock.ts'
import { connectPostgres, openPostgres } from '../store/open-postgres.ts'
import { openPglite } from '../store/open-pglite.ts'
import type { Database } from '../store/schema.ts'
import type { RawDatabase } from '../store/store.ts'
import { openExistingBlobs } from './back-up-blobs.ts'
import type { BackupSettings } from './backup-settings.ts'
import { copyRows, type RowCounts } from './copy-rows.ts'
import { forEachOf } from './for-each-of.ts'
import { areNested } from './open-backup-storage.ts'
import { openExplainedBlobs } from './open-explained-blobs.ts'
import { assertStoreExists } from './open-store-copy.ts'
import { dropStatements, listTables } from './postgres-tables.ts'
import { copyPrefix } from './store-copies.ts'

/** Where an embedded store is moved. */
export interface MoveTarget {
  /** URL of an empty PostgreSQL database. */
  readonly databaseUrl: string
  /** Folder or `s3://BUCKET/PREFIX` to which blobs are copied. Default: they stay. */
  readonly blobs?: string | undefined
}

/** Result of `moveStore`. */
export interface MoveReport {
  /** Rows by table. */
  readonly rows: RowCounts
  /** Number of blobs that were copied. Undefined if they stay. */
  readonly blobs: number | undefined
}

/**
 * Copies the embedded store of a stopped server to an empty PostgreSQL database: all tables with
 * their rows, the queued tasks, and the profile key. The embedded store stays as it is. Throws
 * DATA_DIR_IN_USE if a server is running, STORE_FAILED if the target is not empty, and
 * DATA_DIR_UNUSABLE if there is no space for a copy of the store.
 */
export async function moveStore(settings: BackupSettings, target: MoveTarget): Promise<MoveReport> {
  const { dataDir } = settings
  await assertStoreExists(dataDir)
  using _lock = await lockFolder(dataDir)
  await assertEmpty(target.databaseUrl)
  const blobs = target.blobs === undefined ? undefined : await copyBlobs(settings, target.blobs)
  // Opening the store would change it, and may migrate it: a copy is opened.
  const scratch = join(dataDir, `${copyPrefix}${uuidV7()}`)
  await mkdir(scratch, { mode: 0o700 })
  try {
    await copyFolder(join(dataDir, 'pg'), join(scratch, 'pg'))
    await using source = await openPglite({ dataDir: scratch })
    await upgradeQueueTables(source)
    const rows = await fill(target.databaseUrl, source.raw, await readKeyFile(dataDir))
    return { rows, blobs }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/** Throws STORE_FAILED if a PostgreSQL database has tables in the connection's schema. */
async function assertEmpty(databaseUrl: string): Promise<void> {
  await using connection = await connectPostgres({ databaseUrl, connections: 2, log: undefined })
  const tables = await listTables(connection.db)
  if (tables.length === 0) return
  throw new BowlineError(
    'STORE_FAILED',
    `The PostgreSQL database is not empty: it has ${tables.slice(0, 3).join(', ')}${tables.length > 3 ? ' and more' : ''}`,
    { hint: 'Move to a new database: run `createdb bowline`, or drop its schemas public and pgboss.' },
  )
}

/** Creates the tables in PostgreSQL and fills them. On failure, drops them again. */
async function fill(databaseUrl: string, from: RawDatabase, profileKey: string | undefined): Promise<RowCounts> {
  try {
    // The transaction that copies the rows waits for the embedded database.
    const options = { databaseUrl, connections: 4, idleTransactionMs: 0, log: undefined }
    await using target = await openPostgres(options)
    await upgradeQueueTables(target)
    const counts = await copyRows(from, target.db)
    // On PostgreSQL, servers share the key in the database.
    if (profileKey !== undefined) await storeProfileKey(target.db, profileKey)
    return counts
  } catch (error) {
    await dropAll(databaseUrl).catch(() => undefined)
    throw error
  }
}

async function storeProfileKey(db: Kysely<Database>, value: string): Promise<void> {
  await db
    .insertInto('setting')
    .values({ key: profileKeyName, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute()
}

async function dropAll(databaseUrl: string): Promise<void> {
  await using connection = await connectPostgres({ databaseUrl, connections: 2, log: undefined })
  for (const statement of dropStatements(await listTables(connection.db))) await connection.raw.exec(statement)
}

/** Copies the blobs that a storage does not have. Returns the number of all blobs. */
async function copyBlobs(settings: BackupSettings, to: string): Promise<number> {
  const [from, target] = [configuredBlobs(settings), parseBlobLocation(to, configuredCredentials(settings))]
  if (areNested(from, target)) {
    throw new BowlineError('CONFIG_INVALID', 'The blobs would be moved into the storage that has them', {
      hint: 'Omit `--to-blobs` to leave them where they are.',
    })
  }
  const [source, copy] = [await openExistingBlobs(from), await openExplainedBlobs(target)]
  let count = 0
  await forEachOf(source.list(), async (key) => {
    count += 1
    if (!(await copy.has(key))) await copy.write(key, await source.read(key))
  })
  return count
}
