import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeEachStore } from '../../../test/lab/stores.ts'

describeEachStore('the connections of the store', (openStore) => {
  test('are counted as busy during a transaction, with the statements that wait for one', async () => {
    await using store = await openStore()
    const { max } = store.connections()
    const release = Promise.withResolvers<void>()
    // One connection to PostgreSQL is reserved for heartbeats.
    const shared = Math.max(1, max - 1)
    const begun = Array.from({ length: shared }, () => Promise.withResolvers<void>())
    const running = begun.map(async ({ resolve }) =>
      store.db.transaction().execute(async (db) => {
        await sql`select 1`.execute(db)
        resolve()
        await release.promise
      }),
    )
    await begun[0]?.promise
    if (shared > 1) await Promise.all(begun.map(async ({ promise }) => promise))
    const waiting = sql`select 1`.execute(store.db)
    await expect.poll(() => store.connections().waiting).toBe(1)

    expect(store.connections()).toEqual({ max, open: shared, idle: 0, waiting: 1 })
    if (max > shared) await sql`select 1`.execute(store.heartbeatDb)
    expect(store.connections()).toMatchObject({ waiting: 1 })
    release.resolve()
    await Promise.all([...running, waiting])
    expect(store.connections()).toMatchObject({ open: max, idle: max, waiting: 0 })
  })
})
