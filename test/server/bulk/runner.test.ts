import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { Announcer } from '../../../src/server/bulk/announcer.ts'
import { News } from '../../../src/server/bulk/news.ts'
import type { BulkJob } from '../../../src/server/bulk/plan.ts'
import { bulkQueue, Runner, shareOut } from '../../../src/server/bulk/runner.ts'
import { openJobs } from '../../../src/server/jobs/open-jobs.ts'
import { findBulkJob, insertBulkJob, reopenBulkJob } from '../../../src/server/store/bulk-jobs.ts'
import { endBulkPage, insertBulkPages, type BulkPageRow } from '../../../src/server/store/bulk-pages.ts'
import type { Store } from '../../../src/server/store/store.ts'
import { openPgliteStore } from '../../lab/stores.ts'
import { makeTeam } from '../store/world.ts'

/** Hands over the rows of the second look for pages when `until` has resolved, and says that they are there. */
const holdSecondLook = (until: Promise<void>, arrived: () => void): KyselyPlugin => {
  const looks: object[] = []
  return {
    transformQuery: ({ node, queryId }) => {
      if (JSON.stringify(node).includes('"bulk_page"') && node.kind === 'SelectQueryNode') looks.push(queryId)
      return node
    },
    transformResult: async ({ result, queryId }) => {
      if (looks[1] === queryId) {
        arrived()
        await until
      }
      return result
    },
  }
}

let store: Store
beforeAll(async () => {
  store = await openPgliteStore()
})
afterAll(async () => store[Symbol.asyncDispose]())

/** One job that has one page, and a queue that fails the test when anything goes wrong. */
const openJob = async (undo: AsyncDisposableStack, kind: 'batch_scrape' | 'crawl', plan: object) => {
  const { team, key } = await makeTeam(store.db)
  const jobs = undo.use(await openJobs({ store, onError: (error) => expect.fail(String(error)) }))
  const id = uuidV7()
  await insertBulkJob(store.db, {
    id,
    teamId: team.id,
    apiKeyId: key.id,
    kind,
    version: 'v2',
    target: 'https://a.example/',
    plan: JSON.stringify(plan),
    baseUrl: 'http://127.0.0.1',
    idempotencyKey: undefined,
    requestHash: undefined,
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + 60_000),
  })
  await insertBulkPages(store.db, id, { pages: [pageAt(0)], round: 0, depth: 0 })
  const errors: unknown[] = []
  const announcer = new Announcer({ send: async () => undefined })
  const parts = { jobs, announcer, news: new News(), onError: (error: unknown) => void errors.push(error) }
  const begin = async () => jobs.send(bulkQueue, shareOut({ id, plan: plan as never }, { from: 0, before: 1 })[0]!)
  return { id, parts, errors, begin }
}

const pageAt = (place: number) => ({ place, url: `https://a.example/${place}`, scrapeId: uuidV7() })

test('a crawl goes on when its last page ends while the store is asked for others', async () => {
  await using undo = new AsyncDisposableStack()
  const plan = { rounds: [{}], crawl: { url: 'https://a.example/' } }
  const { id, parts, errors, begin } = await openJob(undo, 'crawl', plan)
  const [looked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const scrape = async (_job: unknown, { place }: BulkPageRow): Promise<void> => {
    if (place === 0) {
      await looked.promise
      await insertBulkPages(store.db, id, { pages: [pageAt(1)], round: 0, depth: 1 })
    }
    await endBulkPage(store.db, { jobId: id, place }, { state: 'completed', credits: 1 })
    // The runner hears of the end of the page before the rows that do not have its link.
    if (place === 0) void nextTurn().then(ended.resolve)
  }
  const heldStore = { ...store, db: store.db.withPlugin(holdSecondLook(ended.promise, looked.resolve)) }
  await Runner.open({ ...parts, store: heldStore, scraper: { scrape } })

  await begin()

  await vi.waitFor(
    async () => expect(await findBulkJob(store.db, id)).toMatchObject({ status: 'completed', completed: 2 }),
    10_000,
  )
  expect(errors).toEqual([])
})

test('a page that is under way when the store fails is not begun again beside itself', async () => {
  await using undo = new AsyncDisposableStack()
  const { id, parts, begin } = await openJob(undo, 'batch_scrape', { rounds: [{}] })
  const [failed, away] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const failing = store.db.withPlugin(
    holdSecondLook(away.promise, () => {
      away.reject(new Error('The store is away'))
      failed.resolve()
    }),
  )
  let begun = 0
  const scrape = async (_job: unknown, { place }: BulkPageRow): Promise<void> => {
    begun += 1
    await failed.promise
    // Longer than it takes until the share is tried again.
    await sleep(1500)
    await endBulkPage(store.db, { jobId: id, place }, { state: 'completed', credits: 1 })
  }
  await Runner.open({ ...parts, store: { ...store, db: failing }, scraper: { scrape } })

  await begin()

  await vi.waitFor(async () => expect(await findBulkJob(store.db, id)).toMatchObject({ status: 'completed' }), 10_000)
  expect(begun).toBe(1)
})

test('pages that are added to a batch while it runs are scraped with their own options, at the first try', async () => {
  await using undo = new AsyncDisposableStack()
  const plan = { rounds: [{}], maxConcurrency: 1 }
  const { id, parts, errors, begin } = await openJob(undo, 'batch_scrape', plan)
  const scraped: unknown[] = []
  const scrape = async (job: BulkJob, { place, round }: BulkPageRow): Promise<void> => {
    scraped.push([place, job.plan.rounds[round]])
    if (place === 0) {
      await reopenBulkJob(store.db, id, JSON.stringify({ ...plan, rounds: [{}, { showsExtract: true }] }))
      await insertBulkPages(store.db, id, { pages: [pageAt(1)], round: 1, depth: 0 })
    }
    await endBulkPage(store.db, { jobId: id, place }, { state: 'completed', credits: 1 })
  }
  await Runner.open({ ...parts, store, scraper: { scrape } })

  await begin()

  await vi.waitFor(async () => expect(await findBulkJob(store.db, id)).toMatchObject({ status: 'completed' }), 10_000)
  expect(scraped).toEqual([
    [0, {}],
    [1, { showsExtract: true }],
  ])
  expect(errors).toEqual([])
})
