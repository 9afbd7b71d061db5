import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { Agent } from 'undici'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Semaphore } from '../../src/kit/semaphore.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { JobWebhooks } from '../../src/jobs/job-webhooks.ts'
import { JobCounter } from '../../src/jobs/job-counter.ts'
import { PageDiscovery } from '../../src/jobs/page-discovery.ts'
import { HostThrottle } from '../../src/jobs/host-throttle.ts'
import { JobEvents } from '../../src/jobs/job-events.ts'
import { PageScraper } from '../../src/jobs/page-scraper.ts'
import type { Job } from '../../src/jobs/plan.ts'
import { turnQueue, Runner, createTurns } from '../../src/jobs/runner.ts'
import type { SendOptions } from '../../src/queue/task-queues.ts'
import { openTaskQueues } from '../../src/queue/open-task-queues.ts'
import { PatternMatcher } from '../../src/map/pattern-matcher.ts'
import type { RobotsRules } from '../../src/map/robots-rules.ts'
import { Billing } from '../../src/billing/billing.ts'
import { PricedScrape } from '../../src/scrape/priced-scrape.ts'
import { addJobWarnings, findJob, insertJob, reopenJob } from '../../src/jobs/job-queries.ts'
import { completeJobPages, insertJobPages, listFailedPages, type JobPageRow } from '../../src/jobs/job-page-queries.ts'
import type { Store } from '../../src/store/store.ts'
import { storeUnavailable } from '../../src/store/unavailable.ts'
import { openPostgresStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'
import { failFirstReturn, holdSecondLook } from './store-plugins.ts'
import { wholePlan, type PartialPlan } from './whole-plan.ts'

let store: Store
beforeAll(async () => {
  store = await openPostgresStore()
})
afterAll(async () => store[Symbol.asyncDispose]())

/** Opens a job with this many pages, and a queue that fails the test on any error. */
async function openJob(undo: AsyncDisposableStack, kind: 'batch_scrape' | 'crawl', plan: PartialPlan, pages = 1) {
  const { team, key } = await makeTeam(store.db)
  const queues = undo.use(await openTaskQueues({ store, onError: (error) => expect.fail(String(error)) }))
  const id = uuidV7()
  await insertJob(store.db, {
    id,
    teamId: team.id,
    apiKeyId: key.id,
    kind,
    version: 'v2',
    target: 'https://a.example/',
    plan: wholePlan(plan),
    baseUrl: 'http://127.0.0.1',
    idempotencyKey: undefined,
    requestHash: undefined,
    createdAt: new Date(),
    expiresAt: new Date(Date.now() + 60_000),
  })
  await insertJobPages(store.db, id, {
    pages: Array.from({ length: pages }, (_, at) => pageAt(at)),
    submissionIndex: 0,
    depth: 0,
  })
  const errors: unknown[] = []
  const jobWebhooks = new JobWebhooks({ send: async () => undefined, assertPermitted: async () => undefined })
  const counter = new JobCounter({ store, jobWebhooks })
  const deps = {
    queues,
    jobWebhooks,
    counter,
    jobEvents: new JobEvents(),
    onError: (error: unknown) => void errors.push(error),
  }
  const begin = async (options: SendOptions = {}) =>
    queues.send(turnQueue, createTurns({ id, plan: wholePlan(plan) }, pages)[0]!, options)
  return { id, deps, errors, begin }
}

function pageAt(position: number) {
  return { position, url: `https://a.example/${position}`, scrapeId: uuidV7() }
}

test('a crawl continues when its last page ends during the query for more pages', async () => {
  await using undo = new AsyncDisposableStack()
  const plan = { submissions: [{}], crawl: { url: 'https://a.example/' } }
  const { id, deps, errors, begin } = await openJob(undo, 'crawl', plan, 2)
  const [looked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const scrape = async (_job: unknown, { position }: JobPageRow): Promise<void> => {
    if (position === 1) {
      await looked.promise
      await insertJobPages(store.db, id, { pages: [pageAt(2)], submissionIndex: 0, depth: 1 })
    }
    await completeJobPages(store.db, [{ jobId: id, position, credits: 1 }])
    // The runner sees the end of the page before the claim, whose result lacks its link.
    if (position === 1) void nextTurn().then(ended.resolve)
  }
  const heldStore = { ...store, db: store.db.withPlugin(holdSecondLook(ended.promise, looked.resolve)) }
  await Runner.open({ ...deps, store: heldStore, scraper: { scrape } })

  await begin()

  await vi.waitFor(
    async () => expect(await findJob(store.db, id)).toMatchObject({ status: 'completed', completed: 3 }),
    10_000,
  )
  expect(errors).toEqual([])
})

test('a page in progress when the store fails is not scraped twice at once', async () => {
  await using undo = new AsyncDisposableStack()
  const { id, deps, begin } = await openJob(undo, 'batch_scrape', { submissions: [{}] }, 2)
  const [failed, away] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const failing = store.db.withPlugin(
    holdSecondLook(away.promise, () => {
      away.reject(new Error('The store is away'))
      failed.resolve()
    }),
  )
  let started = 0
  const scrape = async (_job: unknown, { position }: JobPageRow): Promise<void> => {
    if (position === 1) {
      started += 1
      await failed.promise
      // Longer than the retry delay of the turn.
      await sleep(1500)
    }
    await completeJobPages(store.db, [{ jobId: id, position, credits: 1 }])
  }
  await Runner.open({ ...deps, store: { ...store, db: failing }, scraper: { scrape } })

  await begin()

  await vi.waitFor(async () => expect(await findJob(store.db, id)).toMatchObject({ status: 'completed' }), 10_000)
  expect(started).toBe(1)
})

test('pages that could not be released during a store outage are scraped after it, and do not count as crashed', async () => {
  await using undo = new AsyncDisposableStack()
  const { id, deps, errors, begin } = await openJob(undo, 'batch_scrape', { submissions: [{}] }, 2)
  const crashes: number[] = []
  let isAway = true
  const scrape = async (_job: unknown, page: JobPageRow): Promise<void> => {
    if (isAway && page.position === 1) {
      isAway = false
      throw storeUnavailable(new Error('The connection was lost'))
    }
    crashes.push(page.crashes)
    await completeJobPages(store.db, [{ ...page, credits: 1 }])
  }
  const failing = store.db.withPlugin(failFirstReturn())
  await Runner.open({ ...deps, store: { ...store, db: failing }, scraper: { scrape } })

  await begin()

  await vi.waitFor(async () => expect(await findJob(store.db, id)).toMatchObject({ status: 'completed' }), 10_000)
  expect(crashes).toEqual([0, 0])
  expect(errors).toEqual([])
})

test('pages added to a running batch are scraped with their own options at the first attempt', async () => {
  await using undo = new AsyncDisposableStack()
  const plan = { submissions: [{}], maxConcurrency: 1 }
  const { id, deps, errors, begin } = await openJob(undo, 'batch_scrape', plan)
  const scraped: unknown[] = []
  const scrape = async (job: Job, { position, round }: JobPageRow): Promise<void> => {
    scraped.push([position, job.plan.submissions[round]])
    if (position === 0) {
      await reopenJob(store.db, id, wholePlan({ ...plan, submissions: [{}, { showsExtract: true }] }))
      await insertJobPages(store.db, id, { pages: [pageAt(1)], submissionIndex: 1, depth: 0 })
    }
    await completeJobPages(store.db, [{ jobId: id, position, credits: 1 }])
  }
  await Runner.open({ ...deps, store, scraper: { scrape } })

  await begin()

  await vi.waitFor(async () => expect(await findJob(store.db, id)).toMatchObject({ status: 'completed' }), 10_000)
  expect(scraped).toMatchObject([
    [0, { showsExtract: false }],
    [1, { showsExtract: true }],
  ])
  expect(errors).toEqual([])
})

test('a job whose plan cannot be read fails at its first turn, without its webhook', async () => {
  await using undo = new AsyncDisposableStack()
  const { id, deps, errors, begin } = await openJob(undo, 'batch_scrape', { submissions: [{}] })
  const plan = { submissions: 'gone' } as never
  await reopenJob(store.db, id, plan)
  await Runner.open({ ...deps, store, scraper: { scrape: async () => expect.fail() } })

  await begin()

  const states = store.db.selectFrom('job').select(['status', 'error']).where('id', '=', id)
  const error = 'The job failed because of an internal server error'
  await vi.waitFor(async () => expect(await states.execute()).toEqual([{ status: 'failed', error }]), 10_000)
  const reason = `Column plan of row ${id} in table job cannot be read: submissions: Invalid input`
  expect(errors).toMatchObject([
    { message: expect.stringContaining(reason) },
    { message: expect.stringContaining(reason) },
  ])
})

test('a job survives any number of server crashes, and fails only pages that were in progress during too many of them', async () => {
  await using undo = new AsyncDisposableStack()
  const { id, deps, errors, begin } = await openJob(
    undo,
    'batch_scrape',
    { submissions: [{ request: { timeout: 30_000 } }] },
    6,
  )
  const scraper = new PageScraper({
    ...deps,
    store,
    billing: new Billing({ store, nodeId: uuidV7() }),
    scrapes: {
      estimate: () => 1,
      load: async ({ id: scrapeId = '', teamId, apiKeyId }) => ({
        assertNotThrottled: () => undefined,
        finish: async () => {
          const outcome = { id: scrapeId, document: { metadata: {} }, credits: 1 }
          return new PricedScrape(outcome, { teamId, apiKeyId, row: undefined })
        },
      }),
    },
    slots: new Semaphore(4),
    throttle: new HostThrottle({ concurrency: 4, delayMs: 0 }),
    robots: { check: async () => ({ isAllowed: true, warnings: [] }) } as unknown as RobotsRules,
    honoursRobots: false,
    pageDiscovery: new PageDiscovery({ store, dispatcher: new Agent(), matcher: new PatternMatcher() }),
  })
  await Runner.open({ ...deps, store, scraper })
  // The turn of a server that crashed for the sixteenth time while it held pages 0 to 3. Page 2
  // has crashed too often.
  await begin({ startAfter: 3600 })
  await sql`update job_page set crashes = case position when 2 then 4 else 3 end,
    holder = (select id from pgboss.job where data ->> 'jobId' = ${id})
    where job_id = ${id} and position < 4`.execute(store.db)
  // From now on the runner can take the turn.
  await sql`update pgboss.job set state = 'retry', retry_count = 15, started_on = now(), start_after = now()
    where name = ${turnQueue.name} and data ->> 'jobId' = ${id}`.execute(store.db)
  await begin({})

  await vi.waitFor(async () => {
    await deps.counter.count(id)
    expect(await findJob(store.db, id)).toMatchObject({ status: 'completed', completed: 5, failed: 1, credits: 5 })
  }, 20_000)
  const pages = await listFailedPages(store.db, id)
  expect(pages).toMatchObject([{ position: 2, error: 'The server crashed 5 times while scraping https://a.example/2' }])
  expect(errors).toEqual([])
})

test('pages in progress during crashes are scraped last and one at a time, across all jobs', async () => {
  await using undo = new AsyncDisposableStack()
  const first = await openJob(undo, 'batch_scrape', { submissions: [{}] }, 5)
  const other = await openJob(undo, 'batch_scrape', { submissions: [{}] }, 3)
  await sql`update job_page set crashes = case position when 1 then 5 else 2 end
    where job_id in (${first.id}, ${other.id}) and position < 3`.execute(store.db)
  const inHand = new Set<JobPageRow>()
  const suspects: JobPageRow[] = []
  const beside: unknown[] = []
  const scrape = async (_job: unknown, page: JobPageRow): Promise<void> => {
    const isSuspect = page.crashes >= 2
    if (isSuspect) suspects.push(page)
    // Pages of the same job, and suspected pages of any job.
    for (const { jobId, position, crashes } of inHand) {
      if (isSuspect && (jobId === page.jobId || crashes >= 2)) beside.push({ page, position })
    }
    inHand.add(page)
    // Gives a turn that may claim another page the time to do so.
    await sleep(30)
    inHand.delete(page)
    await completeJobPages(store.db, [{ ...page, credits: 1 }])
  }
  await Runner.open({ ...first.deps, store, scraper: { scrape } })

  await Promise.all([first.begin(), first.deps.queues.send(turnQueue, { jobId: other.id, shares: 1 })])

  for (const [id, completed] of [
    [first.id, 5],
    [other.id, 3],
  ] as const) {
    await vi.waitFor(
      async () => expect(await findJob(store.db, id)).toMatchObject({ status: 'completed', completed }),
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

test('slow expressions fail a crawl once they have used up its time limit across all servers', async () => {
  await using undo = new AsyncDisposableStack()
  const crawl = { url: 'https://a.example/', limit: 10, includePaths: ['(a+)+$'], excludePaths: [] }
  const { id } = await openJob(undo, 'crawl', { submissions: [{ request: {} }], crawl })
  const matcher = {
    match: async (texts: readonly string[]) => Promise.resolve({ matches: texts.map(() => true), ms: 499 }),
  }
  const follow = async (): Promise<unknown> => {
    const row = await findJob(store.db, id)
    if (row === undefined) throw new Error('Unknown job')
    const document = { links: ['https://a.example/a'], metadata: {} }
    // Each iteration acts as another server, or the same one after a restart.
    const pageDiscovery = new PageDiscovery({ store, dispatcher: new Agent(), matcher })
    return pageDiscovery.findNextPages(row, pageAt(0) as JobPageRow, { id, document, credits: 1 })
  }

  for (let call = 1; call <= 60; call += 1) await follow()

  await expect(follow()).rejects.toThrow(
    'Invalid includePaths or excludePaths: matching them took longer than 30 s in this crawl',
  )
})

test('the warning of a job has each sentence once, and ends with one about those that did not fit', async () => {
  await using undo = new AsyncDisposableStack()
  const { id } = await openJob(undo, 'crawl', { submissions: [{}] })
  const sentences = Array.from({ length: 30 }, (_, at) => `http://site-${at}.test/${'x'.repeat(100)} was omitted.`)

  await addJobWarnings(store.db, id, ['One.', 'One.', ...sentences, 'Short.'])

  const shown = ['One.', ...sentences.slice(0, 14), 'Further warnings were omitted.']
  expect((await findJob(store.db, id))?.warning).toBe(shown.join(' '))
})
