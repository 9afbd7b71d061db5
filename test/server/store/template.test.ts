import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../../src/server/store/open.ts'
import type { Store } from '../../../src/server/store/store.ts'
import { openPgliteStore, temporaryFolder } from '../../lab/stores.ts'

/** All that makes a schema: columns, indexes, constraints, and which steps have run. */
const describeStore = async ({ db }: Store): Promise<unknown> => ({
  columns: (
    await sql`select table_name, column_name, data_type, is_nullable, column_default
      from information_schema.columns where table_schema = 'public' order by 1, ordinal_position`.execute(db)
  ).rows,
  indexes: (await sql`select indexdef from pg_indexes where schemaname = 'public' order by 1`.execute(db)).rows,
  constraints: (
    await sql`select conname, pg_get_constraintdef(oid) as definition from pg_constraint
      where connamespace = 'public'::regnamespace order by 1`.execute(db)
  ).rows,
  steps: (await sql`select name from kysely_migration order by 1`.execute(db)).rows,
})

describe('with a template of an earlier first start', () => {
  const stack = new AsyncDisposableStack()
  let folder = ''
  let cacheDir = ''
  let first: Store

  beforeAll(async () => {
    folder = stack.use(await temporaryFolder()).path
    cacheDir = join(folder, 'cache')
    first = stack.use(await openStore({ dataDir: join(folder, 'first'), cacheDir }))
  })
  afterAll(() => stack.disposeAsync())

  test('a store from the template equals one that was migrated', async () => {
    const before = await readdir(cacheDir)

    await using second = await openStore({ dataDir: join(folder, 'second'), cacheDir })

    expect(before).toEqual([expect.stringMatching(/^store-[0-9a-f]{16}\.zst$/)])
    expect(await readdir(cacheDir)).toEqual(before)
    expect(await describeStore(second)).toEqual(await describeStore(first))
  })

  test('a damaged template is reported, passed over, and replaced', async () => {
    const template = join(cacheDir, (await readdir(cacheDir))[0]!)
    const damaged = await readFile(template)
    damaged.writeUInt8(damaged.readUInt8(1_000_000) ^ 0xff, 1_000_000)
    await writeFile(template, damaged)
    const warnings: string[] = []
    const log = { warn: (_facts: object, message: string) => warnings.push(message) }

    await using store = await openStore({ dataDir: join(folder, 'third'), cacheDir, log })

    await store.ping()
    expect(warnings).toEqual([expect.stringContaining('unreadable')])
    expect(await readFile(template)).not.toEqual(damaged)
  })
})

test('a cache that cannot be written to is reported and otherwise no matter', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'file')
  await writeFile(file, '')
  const warnings: string[] = []
  const log = { warn: (_facts: object, message: string) => warnings.push(message) }

  await using store = await openStore({ dataDir: join(folder.path, 'data'), cacheDir: join(file, 'cache'), log })

  await store.ping()
  expect(warnings.at(-1)).toContain('could not be kept')
})

test('a first start that was cut short is begun again', async () => {
  await using folder = await temporaryFolder()
  await mkdir(join(folder.path, 'pg.new', 'base'), { recursive: true })

  await using store = await openStore({ dataDir: folder.path })

  await store.ping()
  expect(await readdir(folder.path)).not.toContain('pg.new')
})

test('only the owner may look into the data directory', async () => {
  await using folder = await temporaryFolder()
  await using _store = await openStore({ dataDir: join(folder.path, 'data') })

  expect((await stat(join(folder.path, 'data'))).mode & 0o077).toBe(0)
  expect((await stat(join(folder.path, 'data', 'pg'))).mode & 0o077).toBe(0)
})

test('the embedded database syncs every commit', async () => {
  await using store = await openPgliteStore()

  const { rows } = await sql<{ fsync: string; method: string }>`
    select current_setting('fsync') as fsync, current_setting('wal_sync_method') as method`.execute(store.db)

  expect(rows).toEqual([{ fsync: 'on', method: 'fsync' }])
})
