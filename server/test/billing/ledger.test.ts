import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { listLedger } from '../../src/billing/ledger.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'

describeEachStore('the ledger', (openStore) => {
  test('bills of a team are listed newest first, filtered by time and limited', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db)
    const times = ['2030-01-01T00:00:00Z', '2030-01-02T00:00:00Z', '2030-01-03T00:00:00Z'].map((text) => new Date(text))
    for (const [index, createdAt] of times.entries()) {
      const bill = { id: uuidV7(), teamId: team.id, apiKeyId: key.id, kind: 'session', subjectId: uuidV7() }
      await store.db
        .insertInto('ledger')
        .values({ ...bill, credits: index, createdAt })
        .execute()
    }
    const creditsOf = async (filter: object): Promise<readonly number[]> =>
      (await listLedger(store.db, { teamId: team.id, ...filter })).map(({ credits }) => credits)

    expect(await creditsOf({})).toEqual([2, 1, 0])
    expect(await creditsOf({ from: times[1], until: times[2] })).toEqual([1])
    expect(await creditsOf({ limit: 2 })).toEqual([2, 1])
    expect(await listLedger(store.db, { teamId: uuidV7() })).toEqual([])
  })

  test('a subject is billed once', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db)
    const bill = { teamId: team.id, apiKeyId: key.id, kind: 'session', subjectId: uuidV7(), credits: 2 }
    const enter = () =>
      store.db
        .insertInto('ledger')
        .values({ ...bill, id: uuidV7(), createdAt: new Date() })
        .execute()

    await enter()

    await expect(enter()).rejects.toMatchObject({ code: '23505' })
  })
})
