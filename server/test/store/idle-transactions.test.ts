import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createQueryBuilder } from '../../src/store/create-query-builder.ts'
import { openStore } from '../../src/store/open.ts'
import { ResilientPool } from '../../src/store/postgres-pool.ts'
import type { LabDatabase } from '../../../test/lab/postgres.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'

const fixture = new AsyncDisposableStack()
let database: LabDatabase
beforeAll(async () => {
  database = fixture.use(await (await sharedPostgres()).createDatabase())
})
afterAll(async () => fixture.disposeAsync())

/** Opens a pool of two connections. */
function openPool(idleTransactionMs: number) {
  const pool = new ResilientPool({ databaseUrl: database.url, connections: 2, log: undefined, idleTransactionMs })
  const db = createQueryBuilder(pool)
  return { db, [Symbol.asyncDispose]: async () => db.destroy() }
}

test('the rows of a server that freezes in a transaction are free again for the others', async () => {
  await using frozen = openPool(300)
  await using other = openPool(300)
  const thawed = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const outcome = frozen.db
    .transaction()
    .execute(async (transaction) => {
      await sql`insert into setting (key, value) values ('frozen', 'a')`.execute(transaction)
      locked.resolve()
      await thawed.promise
      await sql`select 1`.execute(transaction)
    })
    .catch((error: unknown) => error)
  await locked.promise

  await sql`insert into setting (key, value) values ('frozen', 'b')`.execute(other.db)

  thawed.resolve()
  expect(await outcome).toMatchObject({ code: 'STORE_UNAVAILABLE' })
  const { rows } = await sql<{ value: string }>`select value from setting where key = 'frozen'`.execute(other.db)
  expect(rows).toEqual([{ value: 'b' }])
  await sql`select 1`.execute(frozen.db)
})

test('PostgreSQL gives up idle transactions after 10 s, and connections of machines that are gone after 30 s', async () => {
  await using store = await openStore({ dataDir: '', databaseUrl: database.url })

  const { rows } = await store.raw.query(
    `select name, setting from pg_settings where name like 'tcp_%' or name like 'idle_in_transaction%' order by name`,
  )

  expect(rows).toContainEqual({ name: 'idle_in_transaction_session_timeout', setting: '10000' })
  const { rows: reset } = await store.raw.query<{ names: string }>(
    `select string_agg(name, ' ' order by name) as names from pg_settings where source = 'session' and name like 'tcp_%'`,
  )
  expect(reset[0]?.names).toBe('tcp_keepalives_count tcp_keepalives_idle tcp_keepalives_interval tcp_user_timeout')
})

test('a limit of 0 leaves transactions without one, even if the database has a default', async () => {
  await using first = openPool(0)
  await sql`do $$ begin
    execute format('alter database %I set idle_in_transaction_session_timeout = 5000', current_database());
  end $$`.execute(first.db)
  await using pool = openPool(0)

  const { rows } = await sql<{ value: string }>`
    select current_setting('idle_in_transaction_session_timeout') as value`.execute(pool.db)

  expect(rows).toEqual([{ value: '0' }])
})
