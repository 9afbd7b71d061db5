import { setImmediate as nextTurn } from 'node:timers/promises'
import type { KyselyPlugin } from 'kysely'
import { expect, test, vi } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { Announcer } from '../../../src/server/bulk/announcer.ts'
import { News } from '../../../src/server/bulk/news.ts'
import { bulkQueue, Runner, shareOut } from '../../../src/server/bulk/runner.ts'
import { openJobs } from '../../../src/server/jobs/open-jobs.ts'
import { findBulkJob, insertBulkJob } from '../../../src/server/store/bulk-jobs.ts'
import { endBulkPage, insertBulkPages, type BulkPageRow } from '../../../src/server/store/bulk-pages.ts'
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

test('a crawl goes on when its last page ends while the store is asked for others', async () => {
  await using undo = new AsyncDisposableStack()
  const store = undo.use(await openPgliteStore())
  const { team, key } = await makeTeam(store.db)
  const jobs = undo.use(
    await openJobs({ store, databaseUrl: undefined, onError: (error) => expect.fail(String(error)) }),
  )
  const [looked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const id = uuidV7()
  const plan = { rounds: [], crawl: { url: 'https://a.example/' } }
  const pageAt = (place: number) => ({ place, url: `https://a.example/${place}`, scrapeId: uuidV7() })
  await insertBulkJob(store.db, {
    id,
    teamId: team.id,
    apiKeyId: key.id,
    kind: 'crawl',
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
  const scrape = async (_job: unknown, { place }: BulkPageRow): Promise<void> => {
    if (place === 0) {
      await looked.promise
      await insertBulkPages(store.db, id, { pages: [pageAt(1)], round: 0, depth: 1 })
    }
    await endBulkPage(store.db, { jobId: id, place }, { state: 'completed', credits: 1 })
    // The runner hears of the end of the page before the rows that do not have its link.
    if (place === 0) void nextTurn().then(ended.resolve)
  }
  await Runner.open({
    store: { ...store, db: store.db.withPlugin(holdSecondLook(ended.promise, looked.resolve)) },
    jobs,
    scraper: { scrape },
    announcer: new Announcer({ send: async () => undefined }),
    news: new News(),
    onError: (error) => expect.fail(String(error)),
  })

  await jobs.send(bulkQueue, shareOut({ id, plan: plan as never }, { from: 0, before: 1 })[0]!)

  await vi.waitFor(
    async () => expect(await findBulkJob(store.db, id)).toMatchObject({ status: 'completed', completed: 2 }),
    10_000,
  )
})
