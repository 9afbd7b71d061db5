import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'

describeEachStore('the ledger', (openStore) => {
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
