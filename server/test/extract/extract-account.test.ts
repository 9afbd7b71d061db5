import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { extractRequest } from '../../../src/contract/extract.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { availableCredits } from '../../src/billing/account.ts'
import { admitExtract, endExtractJob } from '../../src/extract/extract-account.ts'
import { createPlan } from '../../src/extract/plan.ts'
import { deleteOldExtractJobs, findExtractJob } from '../../src/extract/extract-job-queries.ts'
import { listLedger } from '../billing/list-ledger.ts'
import type { Store } from '../../src/store/store.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'

const { plan } = createPlan(extractRequest.parse({ urls: ['https://a.example/'], prompt: 'x' }), '')

/** Inserts an extract job that reserves 40 of 100 credits. */
async function insertPaidJob(store: Store) {
  const { team, key } = await makeTeam(store.db, { credits: 100 })
  const who = { teamId: team.id, apiKeyId: key.id }
  const id = uuidV7()
  await admitExtract(store.db, { ...who, id, request: plan, credits: 40 })
  return {
    id,
    account: async () => ({
      left: await availableCredits(store.db, team.id),
      bills: (await listLedger(store.db, { teamId: team.id })).map(({ credits }) => credits),
    }),
  }
}

describeEachStore('an extract job', (openStore) => {
  test('ends once and is billed for the pages it read', async () => {
    await using store = await openStore()
    const { id, account } = await insertPaidJob(store)

    const ends = [
      await endExtractJob(store.db, id, { answer: { data: 1, pages: [], searchCredits: 0 }, credits: 25 }),
      await endExtractJob(store.db, id, { answer: { data: 2, pages: [], searchCredits: 0 }, credits: 5 }),
      await endExtractJob(store.db, id, { error: 'too late' }),
    ]

    expect(ends).toEqual([25, undefined, undefined])
    expect(await findExtractJob(store.db, id)).toMatchObject({ status: 'completed', answer: { data: 1 }, credits: 25 })
    expect(await account()).toEqual({ left: 75, bills: [25] })
  })

  test('is free when it fails', async () => {
    await using store = await openStore()
    const { id, account } = await insertPaidJob(store)

    await endExtractJob(store.db, id, { error: 'It was foggy' })

    expect(await findExtractJob(store.db, id)).toMatchObject({ status: 'failed', error: 'It was foggy', credits: 0 })
    expect(await account()).toEqual({ left: 100, bills: [] })
  })

  test('is deleted after its retention, unless it is still running', async () => {
    await using store = await openStore()
    const [ended, running] = [await insertPaidJob(store), await insertPaidJob(store)]
    await endExtractJob(store.db, ended.id, { error: 'x' })

    await sql`update extract_job set created_at = created_at - interval '1 day'`.execute(store.db)
    await deleteOldExtractJobs(store.db, new Date(Date.now() - 1000))
    const young = await findExtractJob(store.db, ended.id)
    await deleteOldExtractJobs(store.db, new Date(Date.now() + 1000))

    expect(young).toMatchObject({ status: 'failed' })
    expect(await findExtractJob(store.db, ended.id)).toBeUndefined()
    expect(await findExtractJob(store.db, running.id)).toMatchObject({ status: 'processing' })
  })
})
