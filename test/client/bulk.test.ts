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

test('awaiting a batch returns all documents and errors, and reports progress', async () => {
  const { site, urls } = fixture
  const steps: BulkProgress[] = []
  const given = [...urls(101), site.url('/broken'), 'nonsense']

  const result = await bowline.batchScrape(given, { formats: ['markdown'] }, { onProgress: (step) => steps.push(step) })

  expect(result).toMatchObject({ status: 'completed', completed: 101, total: 101, creditsUsed: 101 })
  expect(new Set(result.documents.map(({ metadata }) => metadata.sourceURL))).toEqual(new Set(urls(101)))
  expect(result.errors).toMatchObject([{ url: site.url('/broken'), code: 'SCRAPE_SITE_ERROR' }])
  expect(result.invalidUrls).toEqual(['nonsense'])
  expect(steps.at(-1)).toMatchObject({ id: result.id, status: 'completed', completed: 101, failed: 1 })
})

test('iterating over a batch yields documents early, and leaving the loop cancels it', async () => {
  const { lab, site, urls } = fixture
  const run = bowline.batchScrape([...urls(3), site.url('/held')])
  const seen: unknown[] = []

  for await (const { metadata } of run) if (seen.push(metadata.sourceURL) === 3) break

  expect(new Set(seen)).toEqual(new Set(urls(3)))
  const { body } = await lab.api('GET', `/v2/batch/scrape/${await run.start()}`)
  expect(body).toMatchObject({ status: 'cancelled', completed: 3 })
})

test('aborting cancels the batch on the server and rejects with the reason', async () => {
  const { lab, site } = fixture
  const controller = new AbortController()
  const run = bowline.batchScrape([site.url('/held?again')], {}, { signal: controller.signal })
  const id = await run.start()
  const outcome = expect(run).rejects.toThrow('enough')
  await site.requests.waitFor('/held')

  controller.abort(new Error('enough'))

  await outcome
  expect((await lab.api('GET', `/v2/batch/scrape/${id}`)).body['status']).toBe('cancelled')
})

test('aborting during the start of a batch leaves no job running', async () => {
  const { lab, site } = fixture
  const controller = new AbortController()
  const arrived = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<Response>()
  const { url: baseUrl, apiKey } = lab.server
  await using slow = new Bowline({
    baseUrl,
    apiKey,
    reaper: false,
    fetch: async (request, init) => {
      const isStart = request instanceof Request && request.method === 'POST'
      const answer = await fetch(request, init)
      if (!isStart) return answer
      asked.resolve(answer.clone())
      await arrived.promise
      return answer
    },
  })
  const outcome = expect(
    slow.batchScrape([site.url('/held?early')], {}, { signal: controller.signal }),
  ).rejects.toThrow('too late')
  const { id } = (await (await asked.promise).json()) as { readonly id: string }

  controller.abort(new Error('too late'))
  await outcome
  arrived.resolve()

  await vi.waitFor(async () => {
    expect((await lab.api('GET', `/v2/batch/scrape/${id}`)).body['status']).toBe('cancelled')
  }, 20_000)
})

test('a batch with the same key continues with the job instead of starting another', async () => {
  const { urls } = fixture
  const key = { idempotencyKey: 'two of them' }
  const first = await bowline.batchScrape(urls(2), { maxAge: 0 }, key)

  const again = await bowline.batchScrape(urls(2), { maxAge: 0 }, key)
  const other = await bowline.batchScrape(urls(2), { maxAge: 0 })

  expect(again).toMatchObject({ id: first.id, completed: 2, creditsUsed: 2 })
  expect(again.documents).toHaveLength(2)
  expect(other.id).not.toBe(first.id)
  await expect(bowline.batchScrape(urls(3), { maxAge: 0 }, key)).rejects.toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
  })
})

test('a crawl with the same key continues with the job', async () => {
  const { site } = fixture
  const key = { idempotencyKey: 'one crawl' }
  const run = bowline.crawl(site.url('/broken'), {}, key)
  const id = await run.start()

  expect(await bowline.crawl(site.url('/broken'), {}, key).start()).toBe(id)
  await run
})

test('a job with a key goes on when its loop is left, and the next call receives all of it', async () => {
  const { urls } = fixture
  const key = { idempotencyKey: 'thrown out' }
  const failing = (async () => {
    for await (const _ of bowline.batchScrape(urls(5), { maxAge: 0, maxConcurrency: 1 }, key))
      throw new Error('disk full')
  })()
  await expect(failing).rejects.toThrow('disk full')

  const { status, documents, creditsUsed } = await bowline.batchScrape(urls(5), { maxAge: 0, maxConcurrency: 1 }, key)

  expect({ status, documents: documents.length, creditsUsed }).toEqual({
    status: 'completed',
    documents: 5,
    creditsUsed: 5,
  })
})

test('a job that was cancelled elsewhere rejects instead of ending as if it was complete', async () => {
  const { urls } = fixture
  const key = { idempotencyKey: 'cancelled elsewhere' }
  const run = bowline.batchScrape(urls(3), { maxAge: 0, maxConcurrency: 1 }, key)
  await run.start()
  await run.cancel()
  expect((await run).status).toBe('cancelled')

  const joined = bowline.batchScrape(urls(3), { maxAge: 0, maxConcurrency: 1 }, key)

  await expect(joined).rejects.toMatchObject({
    code: 'JOB_FAILED',
    message: expect.stringMatching(/was cancelled after \d of 3 pages/),
  })
})

test('cancelling a job that has not started sends nothing, and it cannot start afterwards', async () => {
  await using service = await startForeignService()
  await using client = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false })
  const run = client.crawl('https://example.com')

  await run.cancel()

  await expect(run).rejects.toMatchObject({ code: 'ABORTED' })
  await expect(run.start()).rejects.toMatchObject({ code: 'ABORTED' })
  expect(service.requests).toEqual([])
})

test('cancelling a job by its key cancels the one that an earlier call has started', async () => {
  const { lab, site } = fixture
  const start = () => bowline.batchScrape([site.url('/held?key')], {}, { idempotencyKey: 'cancelled by its key' })
  const id = await start().start()

  await start().cancel()

  expect((await lab.api('GET', `/v2/batch/scrape/${id}`)).body['status']).toBe('cancelled')
})

test.each(['', 'two\nlines', 'schlüssel', 'x'.repeat(256)])('the key %j is refused', (idempotencyKey) => {
  expect(() => bowline.batchScrape(['https://example.com'], {}, { idempotencyKey })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  )
})

test('awaiting a crawl returns all documents', async () => {
  const result = await bowline.crawl(fixture.site.url('/page?n=1'), { limit: 5, sitemap: 'skip' })

  expect(result).toMatchObject({ status: 'completed', completed: 1, errors: [], robotsBlocked: [] })
  expect(result.documents[0]?.markdown?.trim()).toBe('# Page 1')
})

test('a refused request rejects with the code of the server', async () => {
  await expect(bowline.batchScrape(['nonsense'])).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})

test('a service that always returns `next` is not polled in a tight loop', async () => {
  const asked: number[] = []
  await using service = await startForeignService(({ method, path }, response) => {
    if (method === 'POST') return sendJson(response, 200, { success: true, id: 'job', url: path })
    if (path.endsWith('/errors')) return sendJson(response, 200, { errors: [], robotsBlocked: [] })
    const skip = Number(new URL(path, 'http://one.example').searchParams.get('skip'))
    const status = asked.push(skip) > 2 ? 'completed' : 'scraping'
    const data = status === 'completed' && skip === 0 ? [{ markdown: 'one', metadata: {} }] : []
    const next = `http://one.example/v2/crawl/job?skip=${skip + data.length}`
    const figures = { completed: 1, total: 1, creditsUsed: 1, expiresAt: '2030-01-01T00:00:00Z' }
    return sendJson(response, 200, { success: true, status, ...figures, data, next })
  })
  const foreign = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false })
  const startedAt = performance.now()

  const result = await foreign.crawl('http://one.example')

  expect(result).toMatchObject({ status: 'completed', documents: [{ markdown: 'one' }] })
  expect(asked).toEqual([0, 0, 0, 1])
  // It pauses when a page is empty.
  expect(performance.now() - startedAt).toBeGreaterThan(450)
})

test.each([
  { retries: 1, polls: 7, outcome: 'completed' },
  { retries: 0, polls: 1, outcome: 'CONNECTION_FAILED' },
])(
  'with `retries: $retries`, $polls polls of a job whose server restarts: $outcome',
  async ({ retries, polls, outcome }) => {
    let asked = 0
    await using service = await startForeignService(({ method, path }, response) => {
      if (method !== 'GET') return sendJson(response, 200, { success: true, id: 'job', url: path })
      if (path.endsWith('/errors')) return sendJson(response, 200, { errors: [], robotsBlocked: [] })
      asked += 1
      if (asked < 7) return response.destroy() && true
      const figures = { completed: 1, total: 1, creditsUsed: 1, expiresAt: '2030-01-01T00:00:00Z' }
      return sendJson(response, 200, { success: true, status: 'completed', ...figures, data: [] })
    })
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    try {
      const foreign = new Bowline({ baseUrl: service.url, apiKey: service.apiKey, reaper: false, retries })
      const run = Promise.resolve(foreign.crawl('http://one.example')).then(
        ({ status }) => status,
        (error: unknown) => (error as { code: unknown }).code,
      )

      await vi.waitFor(
        async () => {
          await vi.advanceTimersByTimeAsync(5000)
          expect(asked).toBe(polls)
        },
        { timeout: 20_000 },
      )

      await expect(run).resolves.toBe(outcome)
    } finally {
      vi.useRealTimers()
    }
  },
)
