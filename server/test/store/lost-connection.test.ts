import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTaskQueues } from '../../src/queue/open-task-queues.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import type { LabDatabase } from '../../../test/lab/postgres.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

const fixture = new AsyncDisposableStack()
let database: LabDatabase
let store: Store
beforeAll(async () => {
  database = fixture.use(await (await sharedPostgres()).createDatabase())
  store = fixture.use(await openStore({ dataDir: '', databaseUrl: database.url }))
})
afterAll(async () => fixture.disposeAsync())

const gone = { code: 'STORE_UNAVAILABLE', status: 503, retryAfterSeconds: 2 }

/**
 * Waits until the store works: the first statement after a loss may get a connection that is
 * closing.
 */
async function works(): Promise<void> {
  return expect.poll(async () => store.ping().then(() => 'works')).toBe('works')
}

test('losing a connection in a transaction fails only that transaction', async () => {
  const lost = store.db.transaction().execute(async (db) => {
    await sql`select 1`.execute(db)
    await database.disconnect()
    await sql`select 2`.execute(db)
  })

  await expect(lost).rejects.toMatchObject(gone)
  await works()
})

test('losing a connection during a statement fails only that statement', async () => {
  const waiting = sql`select pg_sleep(20)`.execute(store.db).catch((error: unknown) => error)
  const raw = store.raw.exec('select pg_sleep(20); select 1').catch((error: unknown) => error)
  const isRunning = async (): Promise<unknown> => {
    const { rows } = await sql<{ count: number }>`
      select count(*) from pg_stat_activity where query like '%pg_sleep(20)%' and pid <> pg_backend_pid()
      and datname = current_database()`.execute(store.db)
    return rows[0]?.count
  }
  await expect.poll(isRunning).toBe(2)

  await database.disconnect()

  expect(await waiting).toMatchObject(gone)
  expect(await raw).toMatchObject(gone)
  await works()
})

test('statements fail at once while the database is down, and work again afterwards', async () => {
  {
    await using _away = await database.goOffline()
    await expect(store.ping()).rejects.toMatchObject(gone)
    await expect(store.db.transaction().execute(async () => undefined)).rejects.toMatchObject(gone)
  }

  await works()
})

test('queues are notified of new jobs again after all connections were lost', async () => {
  await using queues = await openTaskQueues({ store, onError: () => undefined })
  const received = new Set<string>()
  const queue = { name: 'lost', expireSeconds: 30 }
  await queues.work<{ readonly to: string }>(queue, { concurrency: 2 }, async ({ to }) => void received.add(to))
  await database.disconnect()
  await works()

  await store.db.transaction().execute(async (db) => queues.send(queue, { to: 'back' }, { db }))

  await expect.poll(() => received.has('back'), { timeout: 10_000 }).toBe(true)
})

test('callers wait for existing connections when PostgreSQL accepts no more', async () => {
  await using folder = await temporaryFolder()
  await using scarce = await (await sharedPostgres()).createDatabase({ isEmpty: true })
  const databaseUrl = await scarce.limit(3)
  await using few = await openStore({ dataDir: folder.path, databaseUrl, databaseConnections: 16 })

  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, index) =>
      few.db.transaction().execute(async (db) => {
        await sleep(5)
        const { rows } = await sql<{ value: number }>`select ${index}::integer as value`.execute(db)
        return rows[0]?.value
      }),
    ),
  )

  expect(answers).toEqual(Array.from({ length: 60 }, (_, index) => index))
})
