import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { startMaintenance } from '../../src/store/maintenance.ts'
import { openStore } from '../../src/store/open.ts'
import { describeEachStore, openPgliteStore, openPostgresStore, temporaryFolder } from '../../../test/lab/stores.ts'
import { startProgram } from './program.ts'

describeEachStore('a store', (openStore) => {
  test('responds to a ping', async () => {
    await using store = await openStore()

    await expect(store.ping()).resolves.toBeUndefined()
  })

  test('stops waiting for a ping that is aborted', async () => {
    await using store = await openStore()

    await expect(store.ping(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
  })

  test('returns bigints as numbers and timestamps as dates', async () => {
    await using store = await openStore()

    const { rows } = await sql`
      select 5000000000::bigint as big, count(*) as count, '2030-01-01T00:00:00.5Z'::timestamptz as time`.execute(
      store.db,
    )

    expect(rows).toEqual([{ big: 5_000_000_000, count: 1, time: new Date('2030-01-01T00:00:00.500Z') }])
  })

  test('isolates transactions from other statements', async () => {
    await using store = await openStore()
    const add = (db: typeof store.db, key: string) => db.insertInto('setting').values({ key, value: '' }).execute()
    const begun = Promise.withResolvers<void>()
    const resume = Promise.withResolvers<void>()

    const undone = store.db.transaction().execute(async (transaction) => {
      await add(transaction, 'inside')
      begun.resolve()
      await resume.promise
      throw new Error('undo')
    })
    await begun.promise
    const outside = add(store.db, 'outside')
    // Lets the statement reach the database before the transaction resumes.
    await new Promise(setImmediate)
    resume.resolve()

    await expect(undone).rejects.toThrow('undo')
    await outside
    expect(await store.db.selectFrom('setting').select('key').execute()).toEqual([{ key: 'outside' }])
  })

  test('runs concurrent transactions atomically', async () => {
    await using store = await openStore()
    await store.db.insertInto('setting').values({ key: 'sum', value: '0' }).execute()
    const increment = () =>
      store.db.transaction().execute(async (transaction) => {
        const { value } = await transaction.selectFrom('setting').selectAll().forUpdate().executeTakeFirstOrThrow()
        await transaction
          .updateTable('setting')
          .set({ value: String(Number(value) + 1) })
          .execute()
      })

    await Promise.all(Array.from({ length: 10 }, increment))

    expect(await store.db.selectFrom('setting').select('value').execute()).toEqual([{ value: '10' }])
  })

  test('reports the violated constraint and stays usable', async () => {
    await using store = await openStore()
    const add = () => store.db.insertInto('setting').values({ key: 'one', value: '' }).execute()
    await add()

    await expect(add()).rejects.toMatchObject({ code: '23505', constraint: 'setting_pkey' })

    await store.ping()
  })
})

test.for([
  ['PGlite', openPgliteStore],
  ['PostgreSQL', openPostgresStore],
] as const)('a store in %s rejects statements after it is closed, and may be closed twice', async ([, open]) => {
  const store = await open()

  await store[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()

  await expect(store.ping()).rejects.toThrow()
})

test('an embedded store keeps its rows when it is reopened', async () => {
  await using folder = await temporaryFolder()
  {
    await using store = await openStore({ dataDir: folder.path })
    await store.db.insertInto('setting').values({ key: 'one', value: '1' }).execute()
  }

  await using store = await openStore({ dataDir: folder.path })

  expect(await store.db.selectFrom('setting').selectAll().execute()).toEqual([{ key: 'one', value: '1' }])
})

test('an embedded store that crashes fails pending statements and reports it once', async () => {
  await using folder = await temporaryFolder()
  const fatal = Promise.withResolvers<Error>()
  await using store = await openStore({ dataDir: folder.path, onFatal: fatal.resolve })
  await rm(join(folder.path, 'pg', 'global', 'pg_control'))

  const broken = sql`checkpoint`.execute(store.db)

  await expect(broken).rejects.toThrow('pg_control')
  expect(await fatal.promise).toMatchObject({ code: 'STORE_FAILED', message: expect.stringContaining(folder.path) })
  await expect(store.ping()).rejects.toMatchObject({ code: 'STORE_FAILED' })
})

test('a damaged data directory is rejected', async () => {
  await using folder = await temporaryFolder()
  await (await openStore({ dataDir: folder.path }))[Symbol.asyncDispose]()
  await rm(join(folder.path, 'pg', 'global', 'pg_control'))

  await expect(openStore({ dataDir: folder.path })).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('could not be opened'),
  })
})

test('an open store does not keep an idle process alive', async () => {
  await using folder = await temporaryFolder()
  await using program = startProgram('leave-store-open', [folder.path])

  expect(await program.lines.next()).toMatchObject({ value: 'done' })
  expect(await program.exited).toBe(0)
})

test('maintenance updates the statistics of the query planner', async () => {
  await using store = await openPgliteStore()
  const values = Array.from({ length: 100 }, (_, index) => ({ key: String(index), value: '' }))
  await store.db.insertInto('setting').values(values).execute()

  await using _maintenance = startMaintenance(store.db, { intervalMs: 10 })

  await vi.waitFor(async () => {
    const { rows } = await sql`select reltuples::int as rows from pg_class where relname = 'setting'`.execute(store.db)
    expect(rows).toEqual([{ rows: 100 }])
  }, 10_000)
})

test('a PostgreSQL that cannot be reached is reported without its password', async () => {
  const databaseUrl = 'postgres://bowline:hunter2@127.0.0.1:1/bowline'

  const error = await openStore({ dataDir: '', databaseUrl }).catch((reason: unknown) => reason)

  expect(error).toMatchObject({ code: 'STORE_FAILED', hint: expect.stringContaining('DATABASE_URL') })
  expect(String(error)).toContain('ECONNREFUSED')
  expect(String(error)).not.toContain('hunter2')
})
