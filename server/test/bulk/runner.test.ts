import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { sql, type KyselyPlugin } from 'kysely'
import { Agent } from 'undici'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Slots } from '../../src/kit/slots.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { Announcer } from '../../src/bulk/announcer.ts'
import { JobCounter } from '../../src/bulk/job-counter.ts'
import { Crawler } from '../../src/bulk/crawler.ts'
import { HostGates } from '../../src/bulk/host-gates.ts'
import { News } from '../../src/bulk/news.ts'
import { PageScraper } from '../../src/bulk/page-scraper.ts'
import { toBulkJob, type BulkJob } from '../../src/bulk/plan.ts'
import { bulkQueue, Runner, shareOut } from '../../src/bulk/runner.ts'
import type { SendOptions } from '../../src/jobs/jobs.ts'
import { openJobs } from '../../src/jobs/open-jobs.ts'
import { PatternMatcher } from '../../src/map/match-patterns.ts'
import type { RobotsRules } from '../../src/map/robots-rules.ts'
import type { ScrapeOutcome } from '../../src/scrape/scrapes.ts'
import { findBulkJob, insertBulkJob, reopenBulkJob } from '../../src/store/bulk-jobs.ts'
import { endBulkPage, insertBulkPages, listFailedPages, type BulkPageRow } from '../../src/store/bulk-pages.ts'
import type { Store } from '../../src/store/store.ts'
import { storeUnavailable } from '../../src/store/unavailable.ts'
import { openPgliteStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/world.ts'

/** Hands over the rows of the second look for pages when `until` has resolved, and says that they are there. */
function holdSecondLook(until: Promise<void>, arrived: () => void): KyselyPlugin {
  const looks: object[] = []
  return {
    transformQuery: ({ node, queryId }) => {
      if (JSON.stringify(node).includes('"free"')) looks.push(queryId)
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

/** Fails the first statement that gives pages back. */
function failFirstReturn(): KyselyPlugin {
  let hasFailed = false
  return {
    transformQuery: ({ node }) => {
      if (!hasFailed && node.kind === 'UpdateQueryNode' && !JSON.stringify(node).includes('"free"')) {
        hasFailed = true
        throw storeUnavailable(new Error('The connection was lost'))
      }
      return node
    },
    transformResult: async ({ result }) => result,
  }
}

let store: Store
beforeAll(async () => {
  store = await openPgliteStore()
})
afterAll(async () => store[Symbol.asyncDispose]())

/** One job that has so many pages, and a queue that fails the test when anything goes wrong. */
async function openJob(undo: AsyncDisposableStack, kind: 'batch_scrape' | 'crawl', plan: object, pages = 1) {
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
  await insertBulkPages(store.db, id, {
    pages: Array.from({ length: pages }, (_, at) => pageAt(at)),
    round: 0,
    depth: 0,
  })
  const errors: unknown[] = []
  const announcer = new Announcer({ send: async () => undefined })
  const counter = new JobCounter({ store, announcer })
  const parts = { jobs, announcer, counter, news: new News(), onError: (error: unknown) => void errors.push(error) }
  const begin = async (options: SendOptions = {}) =>
    jobs.send(bulkQueue, shareOut({ id, plan: plan as never }, pages)[0]!, options)
  return { id, parts, errors, begin }
}

function pageAt(place: number) {
  return { place, url: `https://a.example/${place}`, scrapeId: uuidV7() }
}

test('a crawl goes on when its last page ends while the store is asked for others', async () => {
  await using undo = new AsyncDisposableStack()
  const plan = { rounds: [{}], crawl: { url: 'https://a.example/' } }
  const { id, parts, errors, begin } = await openJob(undo, 'crawl', plan, 2)
  const [looked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const scrape = async (_job: unknown, { place }: BulkPageRow): Promise<void> => {
    if (place === 1) {
      await looked.promise
      await insertBulkPages(store.db, id, { pages: [pageAt(2)], round: 0, depth: 1 })
    }
    await endBulkPage(store.db, { jobId: id, place }, { state: 'completed', credits: 1 })
    // The runner hears of the end of the page before the rows that do not have its link.
    if (place === 1) void nextTurn().then(ended.resolve)
  }
  const heldStore = { ...store, db: store.db.withPlugin(holdSecondLook(ended.promise, looked.resolve)) }
  await Runner.open({ ...parts, store: heldStore, scraper: { scrape } })

  await begin()

  await vi.waitFor(
    async () => expect(await findBulkJob(store.db, id)).toMatchObject({ status: 'completed', completed: 3 }),
    10_000,
  )
  expect(errors).toEqual([])
})

test('a page that is under way when the store fails is not begun again beside itself', async () => {
  await using undo = new AsyncDisposableStack()
  const { id, parts, begin } = await openJob(undo, 'batch_scrape', { rounds: [{}] }, 2)
  const [failed, away] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const failing = store.db.withPlugin(
    holdSecondLook(away.promise, () => {
      away.reject(new Error('The store is away'))
      failed.resolve()
    }),
  )
  let begun = 0
  const scrape = async (_job: unknown, { place }: BulkPageRow): Promise<void> => {
    if (place === 1) {
      begun += 1
      await failed.promise
      // Longer than it takes until the part is tried again.
      await sleep(1500)
    }
    await endBulkPage(store.db, { jobId: id, place }, { state: 'completed', credits: 1 })
  }
  await Runner.open({ ...parts, store: { ...store, db: failing }, scraper: { scrape } })

  await begin()

  await vi.waitFor(async () => expect(await findBulkJob(store.db, id)).toMatchObject({ status: 'completed' }), 10_000)
  expect(begun).toBe(1)
})

test('pages that could not be given back while the store was away are scraped once it is back, and are not taken for deadly', async () => {
  await using undo = new AsyncDisposableStack()
  const { id, parts, errors, begin } = await openJob(undo, 'batch_scrape', { rounds: [{}] }, 2)
  const crashes: number[] = []
  let isAway = true
  const scrape = async (_job: unknown, page: BulkPageRow): Promise<void> => {
    if (isAway && page.place === 1) {
      isAway = false
      throw storeUnavailable(new Error('The connection was lost'))
    }
    crashes.push(page.crashes)
    await endBulkPage(store.db, page, { state: 'completed', credits: 1 })
  }
  const failing = store.db.withPlugin(failFirstReturn())
  await Runner.open({ ...parts, store: { ...store, db: failing }, scraper: { scrape } })

  await begin()

  await vi.waitFor(async () => expect(await findBulkJob(store.db, id)).toMatchObject({ status: 'completed' }), 10_000)
  expect(crashes).toEqual([0, 0])
  expect(errors).toEqual([])
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

test('a job goes on however many servers died over it, and fails only the pages that they had in hand too often', async () => {
  await using undo = new AsyncDisposableStack()
  const { id, parts, errors, begin } = await openJob(undo, 'batch_scrape', { rounds: [{ request: {} }] }, 6)
  const scraper = new PageScraper({
    ...parts,
    store,
    scrapes: {
      scrape: async ({ id: scrapeId = '', alongside }) => {
        const outcome = { id: scrapeId, document: { metadata: {} }, credits: 1 } as unknown as ScrapeOutcome
        await store.db.transaction().execute(async (db) => alongside?.(db, outcome))
        return outcome
      },
    },
    slots: new Slots(4),
    gates: new HostGates({ concurrency: 4, delayMs: 0 }),
    robots: { allows: async () => true } as unknown as RobotsRules,
    honoursRobots: false,
    crawler: new Crawler({ store, dispatcher: new Agent(), matcher: new PatternMatcher() }),
  })
  await Runner.open({ ...parts, store, scraper })
  // The part of a server that died, for the sixteenth time, with pages 0 to 3 in hand: with page 2 too often by now.
  await begin({ startAfter: 3600 })
  await sql`update pgboss.job set state = 'retry', retry_count = 15, started_on = now(), start_after = now()
    where name = ${bulkQueue.name} and data ->> 'jobId' = ${id}`.execute(store.db)
  await sql`update bulk_page set crashes = case place when 2 then 19 else 15 end,
    holder = (select id from pgboss.job where data ->> 'jobId' = ${id})
    where job_id = ${id} and place < 4`.execute(store.db)
  await begin({})

  await vi.waitFor(async () => {
    await parts.counter.count(id)
    expect(await findBulkJob(store.db, id)).toMatchObject({ status: 'completed', completed: 5, failed: 1, credits: 5 })
  }, 20_000)
  const pages = await listFailedPages(store.db, id)
  expect(pages).toMatchObject([{ place: 2, error: '20 times a server crashed while it scraped https://a.example/2' }])
  expect(errors).toEqual([])
})

test('pages that servers have crashed over are scraped one at a time, after all others, whichever jobs they are of', async () => {
  await using undo = new AsyncDisposableStack()
  const first = await openJob(undo, 'batch_scrape', { rounds: [{}] }, 5)
  const other = await openJob(undo, 'batch_scrape', { rounds: [{}] }, 3)
  await sql`update bulk_page set crashes = case place when 1 then 5 else 2 end
    where job_id in (${first.id}, ${other.id}) and place < 3`.execute(store.db)
  const inHand = new Set<BulkPageRow>()
  const suspects: BulkPageRow[] = []
  const beside: unknown[] = []
  const scrape = async (_job: unknown, page: BulkPageRow): Promise<void> => {
    const isSuspect = page.crashes >= 2
    if (isSuspect) suspects.push(page)
    // Those of the same job, and suspected ones of any.
    for (const { jobId, place, crashes } of inHand) {
      if (isSuspect && (jobId === page.jobId || crashes >= 2)) beside.push({ page, place })
    }
    inHand.add(page)
    // So that a part which may take another page does.
    await sleep(30)
    inHand.delete(page)
    await endBulkPage(store.db, page, { state: 'completed', credits: 1 })
  }
  await Runner.open({ ...first.parts, store, scraper: { scrape } })

  await Promise.all([first.begin(), first.parts.jobs.send(bulkQueue, { jobId: other.id, shares: 1 })])

  for (const [id, completed] of [
    [first.id, 5],
    [other.id, 3],
  ] as const) {
    await vi.waitFor(
      async () => expect(await findBulkJob(store.db, id)).toMatchObject({ status: 'completed', completed }),
      10_000,
    )
  }
  expect(beside).toEqual([])
  const crashesOf = (id: string) => suspects.filter(({ jobId }) => jobId === id).map(({ crashes }) => crashes)
  expect([crashesOf(first.id), crashesOf(other.id)]).toEqual([
    [2, 2, 5],
    [2, 2, 5],
  ])
  expect(first.errors).toEqual([])
})

test('expressions that are slow, each time within the limit, fail a crawl once all servers spent its time on them', async () => {
  await using undo = new AsyncDisposableStack()
  const crawl = { url: 'https://a.example/', limit: 10, includePaths: ['(a+)+$'], excludePaths: [] }
  const { id } = await openJob(undo, 'crawl', { rounds: [{ request: {} }], crawl })
  const matcher = {
    match: async (texts: readonly string[]) => Promise.resolve({ matches: texts.map(() => true), ms: 499 }),
  }
  const follow = async (): Promise<unknown> => {
    const row = await findBulkJob(store.db, id)
    if (row === undefined) throw new Error('There is no such job')
    const document = { links: ['https://a.example/a'], metadata: {} }
    // Each time as on another server, or after a restart.
    const crawler = new Crawler({ store, dispatcher: new Agent(), matcher })
    return crawler.follow(toBulkJob(row), pageAt(0) as BulkPageRow, { id, document, credits: 1 })
  }

  for (let call = 1; call <= 60; call += 1) await follow()

  await expect(follow()).rejects.toThrow(
    'includePaths and excludePaths cannot be used: matching them took longer than 30 s in this crawl',
  )
})
