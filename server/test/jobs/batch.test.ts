import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startReceiver } from '../../../test/lab/receiver.ts'
import { makePages, startJobFixture, type JobFixture } from './fixture.ts'

const unknown = '01234567-89ab-7def-8123-456789abcdef'

// In PGlite: `test/client/bulk.test.ts`.
describe('a batch, in PostgreSQL', () => {
  let fixture: JobFixture
  let release: () => void
  beforeAll(async () => {
    const made = makePages()
    release = made.release
    fixture = await startJobFixture('PostgreSQL', {}, made.pages)
  })
  afterAll(async () => fixture[Symbol.asyncDispose]())

  const api = async (method: string, path: string, body?: unknown) => fixture.lab.api(method, path, body)

  test('scrapes every page once, bills each and pages through the documents', async () => {
    const { lab, urls, start, ended } = fixture
    const url = await start('/v2/batch/scrape', { urls: urls(20) })
    const status = await ended(url)

    expect(status).toMatchObject({ success: true, status: 'completed', completed: 20, total: 20, creditsUsed: 20 })
    expect(status['next']).toBeUndefined()
    expect(status['expiresAt']).toMatch(/\.000Z$/)
    const markdown = status['data'].map((each: { markdown: string }) => each.markdown.trim())
    expect(markdown.toSorted()).toEqual(Array.from({ length: 20 }, (_, n) => `# Page ${n}`).toSorted())
    const first = await api('GET', `${url}?limit=15`)
    expect(first.body['data']).toHaveLength(15)
    expect(first.body['next']).toBe(`${url}?skip=15&limit=15`)
    const second = await api('GET', first.body['next'])
    expect([...first.body['data'], ...second.body['data']]).toEqual(status['data'])
    expect(second.body['next']).toBeUndefined()
    const { scrapeId } = status['data'][0].metadata
    expect((await lab.api('GET', `/v2/scrape/${scrapeId}`)).body['data']).toEqual(status['data'][0])
  })

  test('limits a response to 10 MiB of documents', async () => {
    const { site, start, ended } = fixture
    const big = Array.from({ length: 3 }, (_, index) => site.url(`/big?n=${index}`))

    const status = await ended(await start('/v2/batch/scrape', { urls: big, formats: ['rawHtml'] }))

    expect(status['data']).toHaveLength(2)
    expect((await api('GET', status['next'])).body['data']).toHaveLength(1)
  })

  test('lists failed pages with their errors, and counts them neither as completed nor in total', async () => {
    const { site, urls, start, ended } = fixture
    const url = await start('/v2/batch/scrape', { urls: [site.url('/broken'), ...urls(2), site.url('/nowhere')] })

    expect(await ended(url)).toMatchObject({
      status: 'completed',
      completed: 3,
      total: 3,
      creditsUsed: 3,
      warning: `1 page was not scraped. See GET ${new URL(url).pathname}/errors for the reasons.`,
    })
    const { status, body } = await api('GET', `${url}/errors`)
    expect(status).toBe(200)
    expect(body).toEqual({
      errors: [
        {
          id: expect.any(String),
          timestamp: expect.any(String),
          url: site.url('/broken'),
          code: 'SCRAPE_SITE_ERROR',
          error: expect.stringContaining('closed the connection'),
        },
      ],
      robotsBlocked: [],
    })
  })

  test('skips or rejects invalid URLs, depending on the API version', async () => {
    const { urls, start, ended } = fixture
    const given = [...urls(1), 'ftp://example.com', 'nonsense']

    const later = await api('POST', '/v2/batch/scrape', { urls: given })
    expect(later.body).toMatchObject({ success: true, invalidURLs: ['ftp://example.com', 'nonsense'] })
    expect((await api('POST', '/v2/batch/scrape', { urls: urls(1) })).body['invalidURLs']).toEqual([])
    expect((await api('POST', '/v1/batch/scrape', { urls: urls(1) })).body).not.toHaveProperty('invalidURLs')
    expect((await api('POST', '/v1/batch/scrape', { urls: given })).status).toBe(400)
    expect(await api('POST', '/v2/batch/scrape', { urls: given, ignoreInvalidURLs: false })).toMatchObject({
      status: 400,
      body: { error: 'Bad Request: urls.1: URL uses unsupported protocol', details: [{}, {}] },
    })
    expect(await api('POST', '/v2/batch/scrape', { urls: ['nonsense'] })).toMatchObject({
      status: 400,
      body: { error: 'No valid URLs provided' },
    })
    const earlier = await start('/v1/batch/scrape', { urls: given, ignoreInvalidURLs: true, formats: ['rawHtml'] })
    expect(earlier).toContain('/v1/batch/scrape/')
    expect((await ended(earlier))['data']).toEqual([
      { rawHtml: expect.stringContaining('Page 0'), metadata: expect.any(Object) },
    ])
  })

  test('accepts more pages with other options, even after it has completed', async () => {
    const { urls, start, ended } = fixture
    const url = await start('/v2/batch/scrape', { urls: urls(2) })
    await ended(url)

    const again = await start('/v2/batch/scrape', {
      urls: urls(3),
      appendToId: url.split('/').at(-1),
      formats: ['links'],
    })
    const status = await ended(url)

    expect(again).toBe(url)
    expect(status).toMatchObject({ completed: 5, total: 5, creditsUsed: 5 })
    expect(status['data'].filter((each: object) => 'links' in each)).toHaveLength(3)
    expect((await api('POST', '/v2/batch/scrape', { urls: urls(1), appendToId: unknown })).status).toBe(404)
  })

  test('warns about options of an addition that only its job can set', async () => {
    const { lab, urls, start, ended } = fixture
    const url = await start('/v2/batch/scrape', { urls: urls(1) })
    const addition = { urls: urls(2), appendToId: url.split('/').at(-1) }
    const add = async (options: object) => lab.api('POST', '/v2/batch/scrape', { ...addition, ...options })

    const webhook = 'https://a.example/hook'
    const answers = [await add({}), await add({ webhook, maxConcurrency: 2 })]
    const unread = await add({ zeroDataRetention: true, webhook })

    expect(answers.map(({ body }) => body['warning'])).toEqual([
      undefined,
      'Not applied, because the pages were added to a job, which has its own: `webhook`, `maxConcurrency`.',
    ])
    expect(unread.body).toMatchObject({ code: 'BAD_REQUEST', hint: expect.stringContaining('when the job starts') })
    await ended(url)
  })

  test('accepts an addition once per idempotency key', async () => {
    const { lab, urls, start, ended } = fixture
    const url = await start('/v2/batch/scrape', { urls: urls(1) })
    const headers = { authorization: `Bearer ${lab.server.apiKey}`, 'x-idempotency-key': 'added-once' }
    const add = async (count: number, options: object = {}) =>
      lab.api('POST', '/v2/batch/scrape', { urls: urls(count), appendToId: url.split('/').at(-1), ...options }, headers)

    const answers = [await add(2), await add(2), await add(2, { actions: [], redactPII: false }), await add(3)]

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 409])
    expect(await ended(url)).toMatchObject({ status: 'completed', completed: 3, total: 3, creditsUsed: 3 })
  })

  test('keeps its concurrency limit when pages are added while it runs', async () => {
    const { site, start, ended } = fixture
    const some = Array.from({ length: 6 }, (_, index) => site.url(`/counted?n=${index}`))
    const url = await start('/v2/batch/scrape', { urls: some, maxConcurrency: 1 })

    await start('/v2/batch/scrape', {
      urls: some.map((each) => `${each}&added`),
      appendToId: url.split('/').at(-1),
    })
    const status = await ended(url)

    expect(status).toMatchObject({ status: 'completed', completed: 12 })
    for (const { markdown } of status['data']) expect(markdown).toBe('1 at a time\n')
  })

  test('scrapes pages that save a profile one after another', async () => {
    const { site, start, ended } = fixture
    const urls = [1, 2, 3].map((index) => site.url(`/counted?profile=${index}`))

    const status = await ended(await start('/v2/batch/scrape', { urls, profile: { name: 'batch' }, maxConcurrency: 3 }))

    expect(status).toMatchObject({ status: 'completed', completed: 3, failed: 0 })
    for (const { markdown } of status['data']) expect(markdown).toBe('1 at a time\n')
  })

  test('stops when cancelled, keeps its documents and bills nothing more', async () => {
    const { site, urls, start } = fixture
    const url = await start('/v2/batch/scrape', { urls: [...urls(2), site.url('/held')] })
    await vi.waitFor(async () => expect((await api('GET', url)).body['completed']).toBe(2), { timeout: 20_000 })

    expect(await api('DELETE', url)).toMatchObject({ status: 200, body: { success: true, status: 'cancelled' } })
    release()

    expect((await api('GET', url)).body).toMatchObject({ status: 'cancelled', completed: 2, creditsUsed: 2 })
    expect((await api('DELETE', url)).status).toBe(200)
    const done = await start('/v2/batch/scrape', { urls: urls(1) })
    await fixture.ended(done)
    expect(await api('DELETE', done)).toMatchObject({
      status: 409,
      body: { error: 'Batch scrape is already completed' },
    })
  })

  test('waits for `Retry-After`, then scrapes the page', async () => {
    const { site, start, ended } = fixture
    const status = await ended(await start('/v2/batch/scrape', { urls: [site.url('/busy')] }))

    expect(status).toMatchObject({ completed: 1, creditsUsed: 1, data: [{ metadata: { statusCode: 200 } }] })
    expect(status['data'][0].markdown).toContain('Welcome back')
    expect(site.requests.all.filter(({ path }) => path === '/busy')).toHaveLength(2)
  })

  test('is returned again for its idempotency key, which is rejected for another request', async () => {
    const { lab, urls } = fixture
    const headers = { authorization: `Bearer ${lab.server.apiKey}`, 'x-idempotency-key': 'only-once' }
    const post = async (count: number) => lab.api('POST', '/v2/batch/scrape', { urls: urls(count) }, headers)

    const [first, second] = [await post(1), await post(1)]

    expect(second.body).toEqual(first.body)
    expect(await post(2)).toMatchObject({ status: 409, body: { error: 'Idempotency key already used' } })
  })

  test('is returned for its key in another spelling', async () => {
    const { lab, urls } = fixture
    const headers = { authorization: `Bearer ${lab.server.apiKey}`, 'x-idempotency-key': 'spelling' }
    const post = async (options: object) => lab.api('POST', '/v2/batch/scrape', { urls: urls(1), ...options }, headers)
    const first = await post({ formats: ['markdown', 'links'], excludeTags: ['nav', 'footer'] })
    const second = await post({
      formats: ['links', 'markdown'],
      excludeTags: ['footer', 'nav'],
      location: { country: 'US' },
    })

    expect([second.status, second.body]).toEqual([200, first.body])
  })

  test('is returned for its key with another speed', async () => {
    const { lab, urls } = fixture
    const headers = { authorization: `Bearer ${lab.server.apiKey}`, 'x-idempotency-key': 'speed' }
    const post = async (options: object) => lab.api('POST', '/v2/batch/scrape', { urls: urls(1), ...options }, headers)
    const first = await post({ maxConcurrency: 1 })
    const faster = await post({ maxConcurrency: 5 })
    const other = await post({ maxConcurrency: 1, onlyMainContent: false })
    const { body } = await lab.api('GET', '/v2/team/jobs?limit=1')

    expect(faster.body['id']).toBe(first.body['id'])
    expect(other).toMatchObject({ status: 409, body: { hint: expect.stringContaining('other URLs or options') } })
    expect(body['data']).toMatchObject([{ id: first.body['id'] }])
  })

  test('sends each event to its webhook once', async () => {
    await using receiver = await startReceiver()
    const { site, urls, start, ended } = fixture

    const url = await start('/v2/batch/scrape', {
      urls: [...urls(2), site.url('/broken')],
      webhook: { url: receiver.url(), metadata: { for: 'test' } },
    })
    await ended(url)
    const bodies = (await receiver.whenReceived(5)).map(({ body }) => body)

    expect(bodies.map(({ type }) => type as string).toSorted()).toEqual([
      'batch_scrape.completed',
      'batch_scrape.page',
      'batch_scrape.page',
      'batch_scrape.page',
      'batch_scrape.started',
    ])
    expect(bodies.find(({ success }) => success === false)).toMatchObject({
      type: 'batch_scrape.page',
      error: expect.stringContaining('closed the connection'),
      data: [{ metadata: { sourceURL: site.url('/broken') } }],
    })
    for (const body of bodies) expect(body).toMatchObject({ id: url.split('/').at(-1), metadata: { for: 'test' } })
  })

  test('is not found for another team, or if it does not exist', async () => {
    const { lab, urls, start } = fixture
    const url = await start('/v2/batch/scrape', { urls: urls(1) })
    const { body } = await lab.api('POST', '/v2/team/keys', { team: 'other' })
    const otherTeam = { authorization: `Bearer ${body['key']}` }

    for (const [method, path] of [
      ['GET', url],
      ['DELETE', url],
      ['GET', `${url}/errors`],
    ] as const) {
      expect((await lab.api(method, path, undefined, otherTeam)).status).toBe(404)
    }
    expect(await api('GET', `/v2/batch/scrape/${unknown}`)).toMatchObject({
      status: 404,
      body: { error: 'Job not found' },
    })
    expect(await api('GET', '/v2/batch/scrape/nonsense')).toMatchObject({
      status: 400,
      body: { error: 'Invalid job ID format. Job ID must be a valid UUID.' },
    })
  })
})
