import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { describeEachStore } from '../../../test/lab/stores.ts'

describeEachStore('the connections of the store', (openStore) => {
  test('are counted as busy during a transaction, with the statements that wait for one', async () => {
    await using store = await openStore()
    const { max } = store.connections()
    const release = Promise.withResolvers<void>()
    const begun = Array.from({ length: max }, () => Promise.withResolvers<void>())
    const running = begun.map(async ({ resolve }) =>
      store.db.transaction().execute(async (db) => {
        await sql`select 1`.execute(db)
        resolve()
        await release.promise
      }),
    )
    await begun[0]?.promise
    if (max > 1) await Promise.all(begun.map(async ({ promise }) => promise))
    const waiting = sql`select 1`.execute(store.db)
    await expect.poll(() => store.connections().waiting).toBe(1)

    expect(store.connections()).toEqual({ max, open: max, idle: 0, waiting: 1 })
    release.resolve()
    await Promise.all([...running, waiting])
    expect(store.connections()).toMatchObject({ open: max, idle: max, waiting: 0 })
  })
})
