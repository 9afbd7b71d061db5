import { Firecrawl } from 'firecrawl'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes, type Route } from '../../../src/contract/routes.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let teams = 0

beforeAll(async () => {
  const held: (() => void)[] = []
  fixture.defer(() => held.forEach((release) => release()))
  site = fixture.use(
    await startSite({
      '/': fixedPage('Home', '<p>Welcome.</p>'),
      '/gone': ({ response }) => void response.destroy(),
      '/slow': ({ response }) => void held.push(() => void response.end('late')),
    }),
  )
  lab = fixture.use(await startLab({ maxBulkPages: 1 }))
})
afterAll(async () => fixture.disposeAsync())

interface Caller {
  readonly team: string
  readonly key: string
  readonly call: (method: string, path: string, body?: unknown) => ReturnType<Lab['api']>
  readonly scrape: (path?: string, options?: object) => ReturnType<Lab['api']>
}

/** Creates a team with these limits and a key of it. */
async function newCaller(limits: object = {}): Promise<Caller> {
  const team = `team ${(teams += 1)}`
  await lab.api('POST', '/v2/teams', { name: team, ...limits })
  const { body } = await lab.api('POST', '/v2/team/keys', { team, name: 'ci' })
  const call: Caller['call'] = async (method, path, sent) =>
    lab.api(method, path, sent, { authorization: `Bearer ${body['key']}` })
  const scrape: Caller['scrape'] = async (path = '/', options = {}) =>
    call('POST', '/v2/scrape', { url: site.url(path), maxAge: 0, ...options })
  return { team, key: body['key'], call, scrape }
}

describe('the activity', () => {
  test('lists every job once, newest first, and each id leads to its result', async () => {
    const { call, scrape } = await newCaller()
    const url = site.url('/')
    await scrape()
    await call('POST', '/v1/scrape', { url })
    await call('POST', '/v2/map', { url })
    await call('POST', '/v1/map', { url })
    const session = await call('POST', '/v2/browser', { ttl: 30 })
    await call('DELETE', `/v2/browser/${session.body['id']}`)

    const { body } = await call('GET', '/v2/team/activity')

    expect(body).toMatchObject({ success: true, cursor: null, has_more: false })
    expect(body['data']).toMatchObject([
      { endpoint: 'browser', api_version: 'v2', target: 'Browser session' },
      { endpoint: 'map', api_version: 'v1', target: url },
      { endpoint: 'map', api_version: 'v2', target: url },
      { endpoint: 'scrape', api_version: 'v1', target: url },
      { endpoint: 'scrape', api_version: 'v2', target: url },
    ])
    expect(body['data'][0].id).toBe(session.body['id'])
    for (const { id } of body['data'].slice(3)) {
      expect((await call('GET', `/v2/scrape/${id}`)).body['data']['metadata']['scrapeId']).toBe(id)
    }
  })

  test('lists batches and crawls by their first URL, without their pages', async () => {
    const { call } = await newCaller()
    const batch = await call('POST', '/v1/batch/scrape', { urls: [site.url('/?1'), site.url('/?2')] })
    const crawl = await call('POST', '/v2/crawl', { url: site.url('/'), limit: 1 })

    const { data } = (await call('GET', '/v2/team/activity')).body

    expect(data).toMatchObject([
      { id: crawl.body['id'], endpoint: 'crawl', api_version: 'v2', target: site.url('/') },
      { id: batch.body['id'], endpoint: 'batch_scrape', api_version: 'v1', target: site.url('/?1') },
    ])
    expect((await call('GET', `/v2/crawl/${crawl.body['id']}`)).status).toBe(200)
    await expect
      .poll(async () => (await call('GET', `/v2/batch/scrape/${batch.body['id']}`)).body['status'], { timeout: 20_000 })
      .toBe('completed')
    expect((await call('GET', '/v2/team/activity')).body['data']).toHaveLength(2)
  })

  test('lists calls that failed, with the code of their error', async () => {
    const { call, scrape } = await newCaller()
    await scrape('/gone')
    const closed = 'http://127.0.0.1:1/'
    await call('POST', '/v1/scrape', { url: closed })
    await call('POST', '/v2/map', { url: closed })

    const { body } = await call('GET', '/v2/team/activity')

    expect(body['data']).toMatchObject([
      { endpoint: 'map', target: closed, error: expect.stringContaining('EGRESS') },
      { endpoint: 'scrape', target: closed, api_version: 'v1', error: expect.stringMatching(/./) },
      { endpoint: 'scrape', target: site.url('/gone'), api_version: 'v2', error: 'SCRAPE_SITE_ERROR' },
    ])
  })

  test('omits rejected calls and other teams', async () => {
    const { call, scrape } = await newCaller()
    await scrape('/', { formats: ['nothing'] })
    await (await newCaller({ credits: 0 })).scrape()
    await (await newCaller()).scrape()

    expect((await call('GET', '/v2/team/activity')).body['data']).toEqual([])
  })

  test('is paginated by a cursor that new jobs do not shift', async () => {
    const { call, scrape } = await newCaller()
    for (let index = 0; index < 5; index += 1) await scrape()
    const all = (await call('GET', '/v2/team/activity')).body['data'].map(({ id }: { id: string }) => id)

    const first = (await call('GET', '/v2/team/activity?limit=2')).body
    await scrape()
    const second = (await call('GET', `/v2/team/activity?limit=2&cursor=${first['cursor']}`)).body
    const third = (await call('GET', `/v2/team/activity?limit=2&cursor=${second['cursor']}`)).body

    expect([first, second, third].flatMap(({ data }) => data.map(({ id }: { id: string }) => id))).toEqual(all)
    expect([first, second, third].map(({ has_more: more }) => more)).toEqual([true, true, false])
    expect(third['cursor']).toBeNull()
  })

  test('accepts a filter and limits', async () => {
    const { call, scrape } = await newCaller()
    await scrape()
    await call('POST', '/v2/map', { url: site.url('/') })
    const count = async (query: string): Promise<number> =>
      (await call('GET', `/v2/team/activity?${query}`)).body['data'].length

    expect(await count('endpoint=map')).toBe(1)
    expect(await count('endpoint=crawl')).toBe(0)
    expect(await Promise.all(['limit=1', 'limit=0', 'limit=x', 'limit=1000'].map(count))).toEqual([1, 2, 2, 2])
    expect((await call('GET', '/v2/team/activity?endpoint=nothing')).body).toMatchObject({
      error: expect.stringContaining('Invalid endpoint filter. Must be one of: scrape, crawl, batch_scrape'),
      code: 'BAD_REQUEST',
    })
    expect((await call('GET', '/v2/team/activity?cursor=nothing')).body).toMatchObject({ error: 'Invalid cursor.' })
  })

  /** POST routes that start no job: they change something existing, or configure later work. */
  const isJobless = (path: string): boolean =>
    /\{|^\/v2\/(teams?|monitor)(\/|$)|\/(?:params-preview|upload-url|extensions)$/.test(path)

  test('covers every route that starts a job', () => {
    const unknown = Object.values<Route>(routes).filter(
      ({ method, path, activity }) => method === 'POST' && !isJobless(path) && activity === undefined,
    )

    expect(unknown).toEqual([])
  })
})

describe('credits', () => {
  test('are the granted credits minus charges and holds', async () => {
    const { team, call, scrape } = await newCaller({ credits: 30 })
    await scrape()
    const session = await call('POST', '/v2/browser', { ttl: 60 })

    const { body } = await call('GET', '/v2/team/credit-usage')
    expect(body['data']).toEqual({
      remainingCredits: 27,
      planCredits: 30,
      billingPeriodStart: null,
      billingPeriodEnd: null,
      unmetered: false,
      reservedCredits: 2,
    })
    expect((await call('GET', '/v1/team/credit-usage')).body['data']).toMatchObject({
      remaining_credits: 27,
      plan_credits: 30,
      billing_period_start: null,
    })
    expect((await call('GET', '/v2/team/token-usage')).body['data']).toMatchObject({
      remainingTokens: 27 * 15,
      planTokens: 30 * 15,
    })
    expect((await call('GET', '/v1/team/token-usage')).body['data']).toMatchObject({ remaining_tokens: 27 * 15 })
    await call('DELETE', `/v2/browser/${session.body['id']}`)
    await lab.api('PATCH', `/v2/teams/${encodeURIComponent(team)}`, { addCredits: 3 })
    expect((await call('GET', '/v2/team/credit-usage')).body['data']).toMatchObject({
      remainingCredits: 30,
      reservedCredits: 0,
    })
  })

  test('that are used up prevent new work', async () => {
    const { call, scrape } = await newCaller({ credits: 1 })
    await scrape()

    const answers = [
      await scrape(),
      await call('POST', '/v2/map', { url: site.url('/') }),
      await call('POST', '/v2/browser', { ttl: 30 }),
      await call('POST', '/v2/batch/scrape', { urls: [site.url('/')] }),
      await call('POST', '/v2/crawl', { url: site.url('/') }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([402, 402, 402, 402, 402])
    expect(answers[0]?.body).toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      error: 'Insufficient credits to perform this request. It needs 1, and 0 are left.',
    })
    expect(answers[2]?.body['error']).toContain('Insufficient credits for a 30s browser session (requires ~2 credits)')
  })

  test('are counted by month, in credits and tokens, and by key on request', async () => {
    const { call, scrape } = await newCaller()
    await scrape()
    await call('POST', '/v2/map', { url: site.url('/') })
    const now = new Date()
    const startDate = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())).toISOString()
    const today = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate())).toISOString()
    const history = async (path: string) => (await call('GET', path)).body['periods']

    const credits = { startDate, endDate: null, totalCredits: 2, creditsUsed: 2 }
    const tokens = { startDate, endDate: null, totalTokens: 30, tokensUsed: 30 }
    expect(await history('/v2/team/credit-usage/historical')).toEqual([credits])
    expect(await history('/v1/team/credit-usage/historical?byApiKey=1')).toEqual([credits])
    expect(await history('/v1/team/token-usage/historical')).toEqual([tokens])
    expect(await history('/v2/team/token-usage/historical?byApiKey=true')).toEqual([{ ...tokens, apiKey: 'ci' }])
    expect(await history('/v2/team/credit-usage/historical?period=day')).toEqual([{ ...credits, startDate: today }])
  })
})

describe('limits', () => {
  test('of requests apply to each kind separately, and the error has `Retry-After`', async () => {
    const { team, call, scrape } = await newCaller({ rateLimits: 'scrape=2' })
    await scrape()
    await scrape()

    const { status, headers, body } = await scrape()

    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(body).toMatchObject({
      code: 'RATE_LIMITED',
      error: expect.stringMatching(/^Rate limit exceeded\. Consumed \(req\/min\): 3, Remaining \(req\/min\): 0/),
      details: { bucket: 'scrape', limit: 2, used: 3 },
    })
    expect((await call('POST', '/v2/map', { url: site.url('/') })).status).toBe(200)
    await lab.api('PATCH', `/v2/teams/${encodeURIComponent(team)}`, { rateLimits: null })
    expect((await scrape()).status).toBe(200)
  })

  test('of concurrency apply to sessions and scrapes together', async () => {
    const { call, scrape } = await newCaller({ maxConcurrency: 1 })
    const session = await call('POST', '/v2/browser', { ttl: 30 })
    expect((await call('GET', '/v2/concurrency-check')).body).toEqual({
      success: true,
      concurrency: 1,
      maxConcurrency: 1,
    })

    const second = await call('POST', '/v2/browser', { ttl: 30 })
    const late = await scrape('/', { timeout: 1000 })
    const waiting = scrape('/', { timeout: 60_000 })
    await expect
      .poll(async () => (await call('GET', '/v2/team/queue-status')).body)
      .toMatchObject({ jobsInQueue: 2, activeJobsInQueue: 1, waitingJobsInQueue: 1, maxConcurrency: 1 })
    await call('DELETE', `/v2/browser/${session.body['id']}`)

    expect(second.status).toBe(429)
    expect(second.body).toMatchObject({
      code: 'CONCURRENCY_LIMIT',
      error: expect.stringContaining('You have reached the maximum number of concurrent jobs (1). Please wait'),
    })
    const why = expect.stringContaining('was not scraped within 1000 ms: You have reached the maximum number')
    expect(late).toMatchObject({ status: 408, body: { code: 'SCRAPE_TIMEOUT', error: why } })
    expect((await waiting).body['data']['metadata']).toMatchObject({
      concurrencyLimited: true,
      concurrencyQueueDurationMs: expect.any(Number),
    })
    expect((await call('GET', '/v1/concurrency-check')).body['concurrency']).toBe(0)
  })
})

describe('a batch of a team at its limit', () => {
  test('waits without blocking other teams', async () => {
    const busy = await newCaller({ maxConcurrency: 1 })
    const other = await newCaller()
    const session = await busy.call('POST', '/v2/browser', { ttl: 60 })
    const batchOf = async ({ call }: Caller) => {
      const { body } = await call('POST', '/v2/batch/scrape', { urls: [site.url('/?1'), site.url('/?2')] })
      return async () => (await call('GET', `/v2/batch/scrape/${body['id']}`)).body['status']
    }

    const held = await batchOf(busy)
    await expect
      .poll(async () => (await busy.call('GET', '/v2/team/queue-status')).body)
      .toMatchObject({ jobsInQueue: 3, activeJobsInQueue: 1, waitingJobsInQueue: 2 })
    await expect.poll(await batchOf(other), { timeout: 20_000 }).toBe('completed')
    expect(await held()).toBe('scraping')
    await busy.call('DELETE', `/v2/browser/${session.body['id']}`)

    await expect.poll(held, { timeout: 20_000 }).toBe('completed')
  })
})

describe('teams', () => {
  test('are changed by admins only; members see their own', async () => {
    const { team, call } = await newCaller({ credits: 5, maxConcurrency: 2, rateLimits: 'x10' })

    expect((await call('GET', '/v2/teams')).body['data']).toMatchObject([
      { name: team, credits: 5, reservedCredits: 0, concurrency: 0, maxConcurrency: 2, rateLimits: 'x10' },
    ])
    expect((await lab.api('GET', '/v2/teams')).body['data'].length).toBeGreaterThan(1)
    expect((await call('POST', '/v2/teams', { name: 'mine' })).status).toBe(403)
    expect((await call('PATCH', `/v2/teams/${encodeURIComponent(team)}`, { credits: 9 })).status).toBe(403)
  })

  test.each([
    ['POST', '/v2/teams', { name: 'default' }, 409, 'CONFLICT'],
    ['POST', '/v2/teams', { name: 'odd', rateLimits: 'fast' }, 400, 'BAD_REQUEST'],
    ['PATCH', '/v2/teams/nobody', { credits: 1 }, 404, 'TEAM_NOT_FOUND'],
    ['PATCH', '/v2/teams/default', {}, 400, 'BAD_REQUEST'],
    ['PATCH', '/v2/teams/default', { addCredits: 1 }, 400, 'BAD_REQUEST'],
  ])('%s %s with %j is rejected', async (method, path, body, status, code) => {
    expect(await lab.api(method, path, body)).toMatchObject({ status, body: { code } })
  })
})

test('the public client `firecrawl`, unmodified, reads usage, queue and concurrency', async () => {
  const { key, scrape } = await newCaller({ credits: 100, maxConcurrency: 7 })
  await scrape()
  const client = new Firecrawl({ apiKey: key, apiUrl: lab.server.url })

  expect(await client.getConcurrency()).toEqual({ concurrency: 0, maxConcurrency: 7 })
  expect(await client.getCreditUsage()).toMatchObject({ remainingCredits: 99, planCredits: 100 })
  expect(await client.getTokenUsage()).toMatchObject({ remainingTokens: 99 * 15, planTokens: 100 * 15 })
  expect(await client.getCreditUsageHistorical(true)).toMatchObject({ periods: [{ apiKey: 'ci', creditsUsed: 1 }] })
  expect(await client.getTokenUsageHistorical()).toMatchObject({ periods: [{ tokensUsed: 15 }] })
  expect(await client.getQueueStatus()).toMatchObject({
    jobsInQueue: 0,
    maxConcurrency: 7,
    mostRecentSuccess: expect.any(String),
  })
})
