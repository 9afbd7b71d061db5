import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ResilientPool } from '../../src/store/postgres-pool.ts'
import { createQueryBuilder } from '../../src/store/create-query-builder.ts'
import { openPausablePostgres, type PausablePostgres } from '../../../test/lab/pausable-postgres.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'

const limits = { probeAfterMs: 200, probeTimeoutMs: 400 }
const gone = { code: 'STORE_UNAVAILABLE', status: 503, retryAfterSeconds: 2 }

const fixture = new AsyncDisposableStack()
let postgres: PausablePostgres
let pool: ResilientPool
let db: ReturnType<typeof createQueryBuilder>
beforeAll(async () => {
  const database = fixture.use(await (await sharedPostgres()).createDatabase())
  postgres = fixture.use(await openPausablePostgres(database.url))
  // One is reserved for heartbeats.
  pool = new ResilientPool({ databaseUrl: postgres.url, connections: 4, log: undefined, ...limits })
  db = createQueryBuilder(pool)
  fixture.defer(() => db.destroy())
})
afterAll(async () => fixture.disposeAsync())

test('statements fail quickly while PostgreSQL hangs, even in transactions, and work again afterwards', async () => {
  // Opens all connections first, as new ones have their own timeout.
  await Promise.all([1, 2, 3].map(async () => sql`select pg_sleep(0.1)`.execute(db)))
  const inside = Promise.withResolvers<void>()
  const paused = Promise.withResolvers<void>()
  const transaction = db.transaction().execute(async (transaction) => {
    await sql`select 1`.execute(transaction)
    inside.resolve()
    await paused.promise
    await sql`select 2`.execute(transaction)
  })
  const running = sql`select pg_sleep(20)`.execute(db)
  await inside.promise
  postgres.setPaused(true)
  paused.resolve()

  const startMs = performance.now()
  const outcomes = await Promise.allSettled([transaction, running, pool.raw.query('select 3', [])])

  expect(performance.now() - startMs).toBeLessThan(5000)
  expect(outcomes).toMatchObject(outcomes.map(() => ({ status: 'rejected', reason: gone })))
  postgres.setPaused(false)
  await expect(sql`select 4 as four`.execute(db)).resolves.toMatchObject({ rows: [{ four: 4 }] })
})

test('a slow statement continues while PostgreSQL is alive', async () => {
  await expect(sql`select pg_sleep(1), 1 as one`.execute(db)).resolves.toMatchObject({ rows: [{ one: 1 }] })
})

test('a statement fails when it exceeds the maximum duration, even while PostgreSQL is alive', async () => {
  const limitedPool = new ResilientPool({
    databaseUrl: postgres.url,
    connections: 1,
    log: undefined,
    ...limits,
    maxStatementMs: 300,
  })
  await using _end = { [Symbol.asyncDispose]: async () => limitedPool.end() }

  await expect(limitedPool.raw.query('select pg_sleep(20)', [])).rejects.toMatchObject(gone)
  await expect(limitedPool.raw.exec('select pg_sleep(1)')).resolves.toHaveLength(1)
})
