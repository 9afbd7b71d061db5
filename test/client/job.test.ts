import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Bowline, type BulkProgress } from '../../src/index.ts'
import { sendJson, startForeignService } from './foreign-service.ts'
import { startJobFixture, type JobFixture } from '../../server/test/jobs/fixture.ts'

let fixture: JobFixture
let bowline: Bowline
const owned = new AsyncDisposableStack()
beforeAll(async () => {
  fixture = owned.use(await startJobFixture('PGlite'))
  const { url: baseUrl, apiKey } = fixture.lab.server
  bowline = owned.use(new Bowline({ baseUrl, apiKey, reaper: false }))
})
afterAll(async () => owned.disposeAsync())

const unknownId = '01900000-0000-7000-8000-000000000000'

test('job() returns the documents and errors of a batch, and of a crawl, by its id', async () => {
  const { site, urls } = fixture
  const batch = await bowline.batchScrape([...urls(2), site.url('/broken')])
  const crawl = await bowline.crawl(site.url('/page?n=1'), { sitemap: 'skip' })
  const steps: BulkProgress[] = []

  const result = await bowline.job(batch.id, { onProgress: (step) => steps.push(step) })

  expect(result).toMatchObject({ id: batch.id, status: 'completed', completed: 2, documents: batch.documents })
  expect(result.errors).toMatchObject([{ url: site.url('/broken'), code: 'SCRAPE_SITE_ERROR' }])
  expect(steps.at(-1)).toMatchObject({ completed: 2, failed: 1 })
  expect((await bowline.job(crawl.id)).documents).toEqual(crawl.documents)
})

test('leaving the loop of job(), or aborting it, does not cancel the job, but cancel() does', async () => {
  const { lab, site, urls } = fixture
  const id = await bowline.batchScrape([...urls(2), site.url('/held?left')], { maxConcurrency: 1 }).start()
  const status = async (): Promise<unknown> => (await lab.api('GET', `/v2/batch/scrape/${id}`)).body['status']
  const controller = new AbortController()

  for await (const _ of bowline.job(id)) break
  const aborted = bowline.job(id, {
    signal: controller.signal,
    onProgress: () => controller.abort(new Error('enough')),
  })
  await expect(aborted).rejects.toThrow('enough')
  const afterLeaving = await status()
  await bowline.job(id).cancel()

  expect(afterLeaving).toBe('scraping')
  expect(await status()).toBe('cancelled')
})

test('documents of a cancelled job are readable before job() rejects', async () => {
  const { site, urls } = fixture
  const run = bowline.batchScrape([...urls(2), site.url('/held?cancelled')], { maxConcurrency: 1 })
  const id = await run.start()
  await expect.poll(async () => (await run.details()).completed, { timeout: 20_000 }).toBe(2)
  await run.cancel()
  const seen: unknown[] = []

  const reading = (async () => {
    for await (const { metadata } of bowline.job(id)) seen.push(metadata.sourceURL)
  })()

  await expect(reading).rejects.toMatchObject({ code: 'JOB_FAILED' })
  expect(seen).toEqual(urls(2))
})

test('documents of a failed job are readable before job() rejects', async () => {
  await using service = await startForeignService((_request, response) => {
    const figures = { completed: 1, total: 3, creditsUsed: 1, expiresAt: '2030-01-01T00:00:00Z' }
    const data = [{ markdown: 'one', metadata: {} }]
    return sendJson(response, 200, { success: true, status: 'failed', error: 'out of disk', ...figures, data })
  })
  const foreign = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false })
  const seen: unknown[] = []

  const reading = (async () => {
    for await (const { markdown } of foreign.job(unknownId)) seen.push(markdown)
  })()

  await expect(reading).rejects.toMatchObject({ code: 'JOB_FAILED', message: expect.stringContaining('out of disk') })
  expect(seen).toEqual(['one'])
})

test('details() has the counts, times and changed options of a job, without secrets', async () => {
  const { site } = fixture
  const headers = { authorization: 'Bearer secret' }
  const { id } = await bowline.crawl(site.url('/page?n=4'), {
    limit: 3,
    sitemap: 'skip',
    maxConcurrency: 2,
    scrapeOptions: { formats: ['links'], headers },
  })

  const details = await bowline.job(id).details()

  expect(details).toMatchObject({
    id,
    kind: 'crawl',
    status: 'completed',
    target: site.url('/page?n=4'),
    completed: 1,
    total: 1,
    failed: 0,
    creditsUsed: 1,
    createdAt: expect.any(String),
    completedAt: expect.any(String),
    expiresAt: expect.any(String),
    omittedOptions: ['scrapeOptions.headers'],
  })
  expect(details.options).toEqual({
    limit: 3,
    sitemap: 'skip',
    maxConcurrency: 2,
    scrapeOptions: { formats: [{ type: 'links' }] },
  })
})

test('details() of a batch has its webhook without headers', async () => {
  const { site, urls } = fixture
  const webhook = { url: site.url('/page?n=9'), headers: { authorization: 'Bearer secret' } }

  const run = bowline.batchScrape(urls(1), { onlyMainContent: false, webhook, headers: { cookie: 'a=b' } })

  const { options, omittedOptions } = await run.details()
  expect(options).toEqual({ onlyMainContent: false })
  expect(omittedOptions).toEqual(['headers', 'webhook'])
  await run
})

test('an unknown job is reported', async () => {
  const notFound = { code: 'JOB_NOT_FOUND' }
  const run = bowline.job(unknownId)

  await expect(run.cancel()).rejects.toMatchObject(notFound)
  await expect(run.details()).rejects.toMatchObject(notFound)
  await expect(run.errors()).rejects.toMatchObject(notFound)
  await expect(run).rejects.toMatchObject(notFound)
  expect(() => bowline.job(unknownId, { idempotencyKey: 'x' } as object)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
})

test.each([
  { retries: 1, key: 'a key', posts: 7, outcome: 'job' },
  { retries: 1, key: undefined, posts: 2, outcome: 'CONNECTION_FAILED' },
  { retries: 0, key: 'a key', posts: 1, outcome: 'CONNECTION_FAILED' },
])(
  'with `retries: $retries` and the key $key, the start of a job is sent $posts times while the server restarts: $outcome',
  async ({ retries, key, posts, outcome }) => {
    let asked = 0
    await using service = await startForeignService(({ path }, response) => {
      asked += 1
      return asked < 7 ? response.destroy() && true : sendJson(response, 200, { success: true, id: 'job', url: path })
    })
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      const foreign = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false, retries })
      for (const run of [
        foreign.crawl('http://one.example', {}, { idempotencyKey: key }),
        foreign.batchScrape(['http://one.example'], {}, { idempotencyKey: key }),
        foreign.retryFailed(unknownId, { idempotencyKey: key }),
      ]) {
        asked = 0
        const started = run.start().catch((error: unknown) => (error as { code: unknown }).code)

        await vi.waitFor(
          async () => {
            await vi.advanceTimersByTimeAsync(5000)
            expect(asked).toBe(posts)
          },
          { timeout: 20_000 },
        )

        await expect(started).resolves.toBe(outcome)
      }
    } finally {
      vi.useRealTimers()
    }
  },
)

test('catch() and finally() of a job start it, and work like those of a promise', async () => {
  const { urls } = fixture
  const calls: unknown[] = []

  const ended = await bowline.batchScrape(urls(1)).finally(() => calls.push('end'))
  const caught = await bowline.job(unknownId).catch((error: unknown) => error)
  const missed = bowline.job(unknownId).finally(() => calls.push('failure'))

  expect(ended).toMatchObject({ status: 'completed', completed: 1 })
  expect(caught).toMatchObject({ code: 'JOB_NOT_FOUND' })
  await expect(missed).rejects.toMatchObject({ code: 'JOB_NOT_FOUND' })
  expect(await bowline.job(ended.id).catch(() => 'caught')).toMatchObject({ id: ended.id })
  expect(calls).toEqual(['end', 'failure'])
})

test.each([
  {
    key: undefined,
    canCancel: false,
    message: /The job job-1 may still be running on the server$/,
    hint: /jobs documents job-1`\.$/,
  },
  {
    key: 'a key',
    canCancel: true,
    message: /The job job-1 may still be running on the server$/,
    hint: /the same idempotency key\.$/,
  },
  { key: undefined, canCancel: true, message: /^(?!.*still be running)/, hint: /^Check the base URL/ },
])(
  'a lost connection to a job with the key $key, cancelled: $canCancel, tells whether it may still be running',
  async ({ key, canCancel, message, hint }) => {
    await using service = await startForeignService(({ method, path }, response) => {
      const isReachable = method === 'POST' || (method === 'DELETE' && canCancel)
      if (!isReachable) return response.destroy() && true
      return sendJson(response, 200, { success: true, id: 'job-1', url: path, status: 'cancelled', message: '' })
    })
    const foreign = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false, retries: 0 })

    const run = foreign.crawl('http://one.example', {}, { idempotencyKey: key })

    await expect(run).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
      message: expect.stringMatching(message) as string,
      hint: expect.stringMatching(hint) as string,
    })
  },
)
