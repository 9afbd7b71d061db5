import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { extractRequest } from '../../../src/contract/extract.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { admitExtract } from '../../src/extract/extract-account.ts'
import { Extracts } from '../../src/extract/extracts.ts'
import { createPlan } from '../../src/extract/plan.ts'
import { openTaskQueues } from '../../src/queue/open-task-queues.ts'
import { findTeam } from '../../src/teams/team-queries.ts'
import { openPgliteStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'

test('an extraction whose request cannot be read fails, and its hold is released', async () => {
  await using store = await openPgliteStore()
  const onError = vi.fn<(error: unknown) => void>()
  await using queues = await openTaskQueues({ store, onError })
  const { team, key } = await makeTeam(store.db, { credits: 100 })
  await Extracts.open({ store, queues, onError } as never)
  const { plan } = createPlan(extractRequest.parse({ urls: ['https://a.example/'], prompt: 'x' }), '')
  const id = uuidV7()
  await admitExtract(store.db, { id, teamId: team.id, apiKeyId: key.id, request: plan, credits: 40 })
  await sql`update extract_job set request = '{}' where id = ${id}`.execute(store.db)

  await queues.send({ name: 'extract', expireSeconds: 900 }, { id })

  const error = expect.stringContaining(`Column request of row ${id} in table extract_job cannot be read`)
  const jobs = store.db.selectFrom('extractJob').select(['status', 'error'])
  await vi.waitFor(async () => expect(await jobs.execute()).toEqual([{ status: 'failed', error }]), 10_000)
  expect(await findTeam(store.db, team.id)).toMatchObject({ credits: 100, reservedCredits: 0 })
  expect(onError).toHaveBeenCalledWith(expect.objectContaining({ message: error }), `ending the extraction ${id}`)
})
