import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { insertJobPages } from '../../src/jobs/job-page-queries.ts'
import { insertJob } from '../../src/jobs/job-queries.ts'
import { PageClaims } from '../../src/jobs/page-claims.ts'
import type { Store } from '../../src/store/store.ts'
import { openPostgresStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'
import { wholePlan } from './whole-plan.ts'

let store: Store
beforeAll(async () => {
  store = await openPostgresStore()
})
afterAll(async () => store[Symbol.asyncDispose]())

async function insertJobOf(count: number): Promise<string> {
  const { team, key } = await makeTeam(store.db)
  const id = uuidV7()
  await insertJob(store.db, {
    id,
    teamId: team.id,
    apiKeyId: key.id,
    kind: 'batch_scrape',
    version: 'v2',
    target: 'https://a.example/',
    plan: wholePlan({ submissions: [{}] }),
    baseUrl: 'http://127.0.0.1',
    idempotencyKey: undefined,
    requestHash: undefined,
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + 60_000),
  })
  const pages = Array.from({ length: count }, (_, position) => ({
    position,
    url: `https://a.example/${position}`,
    scrapeId: uuidV7(),
  }))
  await insertJobPages(store.db, id, { pages, submissionIndex: 0, depth: 0 })
  return id
}

test('workers that claim at the same time share a statement, and each gets its own pages', async () => {
  const [jobId, otherId] = [await insertJobOf(5), await insertJobOf(5)]
  let statements = 0
  const count: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const claims = new PageClaims({ db: store.db.withPlugin(count) })
  const [first, second] = [uuidV7(), uuidV7()]

  const claimed = await Promise.all([
    claims.claim({ jobId, holder: first, limit: 3 }),
    claims.claim({ jobId, holder: second, limit: 3 }),
    claims.claim({ jobId: otherId, holder: first, limit: 1 }),
  ])

  expect(claimed.map((pages) => pages.map(({ position }) => position))).toEqual([[0, 1, 2], [3, 4], [0]])
  expect(claimed.flat().map((page) => [page.jobId, page.holder])).toEqual([
    ...[0, 1, 2].map(() => [jobId, first]),
    ...[3, 4].map(() => [jobId, second]),
    [otherId, first],
  ])
  expect(statements).toBe(2)
})

test('a failed statement of one job claims no page of another again', async () => {
  const [jobId, brokenId] = [await insertJobOf(2), await insertJobOf(2)]
  let statements = 0
  const failSecond: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements += 1
      if (statements === 2) throw new Error('The store is away')
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const claims = new PageClaims({ db: store.db.withPlugin(failSecond) })
  const holder = uuidV7()

  const [claimed, broken] = await Promise.allSettled([
    claims.claim({ jobId, holder, limit: 1 }),
    claims.claim({ jobId: brokenId, holder, limit: 1 }),
  ])

  expect(claimed).toMatchObject({ status: 'fulfilled', value: [{ position: 0 }] })
  expect(broken).toMatchObject({ status: 'rejected', reason: { message: 'The store is away' } })
  expect(await claims.claim({ jobId, holder, limit: 2 })).toMatchObject([{ position: 1 }])
})
