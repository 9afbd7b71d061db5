import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, inject } from 'vitest'
import { openStore } from '../../server/src/store/open.ts'
import type { Store } from '../../server/src/store/store.ts'
import { sharedPostgres } from './shared-postgres.ts'

/** Opens an empty store with the latest schema. Disposing removes it. */
export type OpenStore = () => Promise<Store>

/**
 * A temporary directory. Disposing retries, since browsers of killed servers may still write to it.
 */
export async function temporaryFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'bowline-test-'))
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }),
  }
}

/** An embedded store in a temporary directory. */
export const openPgliteStore: OpenStore = async () => {
  await using undo = new AsyncDisposableStack()
  const folder = undo.use(await temporaryFolder())
  const store = undo.use(await openStore({ dataDir: folder.path }))
  const owned = undo.move()
  return { ...store, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/** A store in a new database of the shared PostgreSQL. */
export const openPostgresStore: OpenStore = async () => {
  await using undo = new AsyncDisposableStack()
  const folder = undo.use(await temporaryFolder())
  const postgres = await sharedPostgres()
  const database = undo.use(await postgres.createDatabase())
  const store = undo.use(await openStore({ dataDir: folder.path, databaseUrl: database.url }))
  const owned = undo.move()
  return { ...store, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

/**
 * Runs a spec on the embedded store and on PostgreSQL. Its tests share a store, which is emptied
 * after each.
 */
export function describeEachStore(title: string, spec: (openStore: OpenStore) => void): void {
  describe(`${title}, in PGlite`, () => spec(shared(openProcessStore)))
  describe(`${title}, in PostgreSQL`, () => spec(shared(openPostgresStore)))
}

function shared(open: OpenStore): OpenStore {
  let opening: Promise<Store> | undefined
  afterAll(async () => {
    const store = await opening
    await store?.[Symbol.asyncDispose]()
  })
  return async () => {
    opening ??= open()
    const store = await opening
    return { ...store, [Symbol.asyncDispose]: () => empty(store) }
  }
}

let processStore: Promise<Store> | undefined

/**
 * The embedded store that the specs of this process share, as starting one takes 1.8 s of processor
 * time. Disposing empties it. It ends with the process, and the run removes its folder.
 */
async function openProcessStore(): Promise<Store> {
  processStore ??= mkdtemp(join(inject('runFolder'), 'store-')).then(async (dataDir) => openStore({ dataDir }))
  const store = await processStore
  return { ...store, [Symbol.asyncDispose]: () => empty(store) }
}

/** Deletes all rows. Truncating all tables takes ten times the processor time in PGlite. */
async function empty({ db }: Store): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select quote_ident(tablename) as name from pg_tables
    where schemaname = 'public' and tablename not like 'kysely%'`.execute(db)
  const withRows = rows.map(({ name }) => `select '${name}' as name where exists (select from ${name})`)
  const { rows: filled } = await sql<{ name: string }>`${sql.raw(withRows.join(' union all '))}`.execute(db)
  if (filled.length === 0) return
  await db.transaction().execute(async (transaction) => {
    // Without the checks of foreign keys.
    await sql`set local session_replication_role = replica`.execute(transaction)
    for (const { name } of filled) await sql`delete from ${sql.raw(name)}`.execute(transaction)
  })
}
