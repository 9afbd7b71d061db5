import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { extractRequest } from '../../../src/contract/extract.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { Billing } from '../../src/billing/billing.ts'
import { admitExtract } from '../../src/extract/extract-account.ts'
import { Extracts } from '../../src/extract/extracts.ts'
import { createPlan } from '../../src/extract/plan.ts'
import { openTaskQueues } from '../../src/queue/open-task-queues.ts'
import { findTeam } from '../../src/teams/team-queries.ts'
import type { Store } from '../../src/store/store.ts'
import { openPgliteStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'
import { unavailable } from '../store/unavailable-store.ts'

let store: Store
beforeAll(async () => {
  store = await openPgliteStore()
})
afterAll(async () => store[Symbol.asyncDispose]())

async function admit(): Promise<{ readonly id: string; readonly teamId: string }> {
  const { team, key } = await makeTeam(store.db, { credits: 100 })
  const { plan } = createPlan(extractRequest.parse({ urls: ['https://a.example/'], prompt: 'x' }), '')
  const id = uuidV7()
  await admitExtract(store.db, { id, teamId: team.id, apiKeyId: key.id, request: plan, credits: 40 })
  return { id, teamId: team.id }
}

test('an extraction whose request cannot be read fails, and its hold is released', async () => {
  const onError = vi.fn<(error: unknown) => void>()
  await using queues = await openTaskQueues({ store, onError })
  await Extracts.open({ store, queues, onError } as never)
  const { id, teamId } = await admit()
  await sql`update extract_job set request = '{}' where id = ${id}`.execute(store.db)

  await queues.send({ name: 'extract', expireSeconds: 900 }, { id })

  const error = expect.stringContaining(`Column request of row ${id} in table extract_job cannot be read`)
  const jobs = store.db.selectFrom('extractJob').select(['status', 'error']).where('id', '=', id)
  await vi.waitFor(async () => expect(await jobs.execute()).toEqual([{ status: 'failed', error }]), 10_000)
  expect(await findTeam(store.db, teamId)).toMatchObject({ credits: 100, reservedCredits: 0 })
  expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: error }), `ending the extraction ${id}`)
})

test('an extraction continues after an outage of the database', async () => {
  await using queues = await openTaskQueues({ store, onError: () => undefined })
  const billing = new Billing({ store: unavailable(store, /./), nodeId: uuidV7() })
  const webhooks = { send: async () => undefined }
  const onError = (error: unknown): never => expect.fail(String(error))
  await Extracts.open({ store, queues, billing, webhooks, languageModel: {}, onError } as never)
  const { id } = await admit()

  await queues.send({ name: 'extract', expireSeconds: 900 }, { id })

  const task = sql<{
    state: string
  }>`select state, retry_count from pgboss.job where name = 'extract' and data->>'id' = ${id}`
  await vi.waitFor(async () => {
    const { rows } = await task.execute(store.db)
    expect(rows).toMatchObject([{ state: 'retry' }])
  }, 10_000)
  const job = store.db.selectFrom('extractJob').select(['status', 'error']).where('id', '=', id)
  expect(await job.execute()).toEqual([{ status: 'processing', error: null }])
})
