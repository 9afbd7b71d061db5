import { Firecrawl } from 'firecrawl'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Bowline } from '../../../src/index.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { createMonitor, runCheck, startChangingSite, type ChangingSite } from './fixture.ts'

const unknownId = '00000000-0000-4000-8000-000000000000'

let undo: AsyncDisposableStack
let lab: Lab
let site: ChangingSite
beforeAll(async () => {
  undo = new AsyncDisposableStack()
  site = undo.use(await startChangingSite())
  site.set('/page', '<h1>Page</h1><p>One.</p>')
  lab = undo.use(await startLab())
})
afterAll(async () => undo.disposeAsync())

const targets = () => [{ type: 'scrape', urls: [site.url('/page')] }]
function valid() {
  return { name: 'Page', schedule: { text: 'daily' }, targets: targets() }
}

describe('a monitor is rejected', () => {
  test.each([
    ['with an unknown key', { mood: 'good' }, 'mood'],
    ['without targets', { targets: [] }, 'targets'],
    [
      'with two targets of one id',
      { targets: [1, 2].map(() => ({ id: unknownId, type: 'scrape', urls: ['https://a.example'] })) },
      'the same id',
    ],
    ['with too frequent runs', { schedule: { cron: '* * * * *' } }, 'every 5 minutes'],
    ['with a date that does not exist', { schedule: { cron: '0 0 30 2 *' } }, 'never runs'],
    [
      'with an unknown option of scraping',
      { targets: [{ type: 'scrape', urls: ['https://a.example'], scrapeOptions: { mood: 1 } }] },
      'mood',
    ],
    [
      'with an invalid path expression',
      { targets: [{ type: 'crawl', url: 'https://a.example', crawlOptions: { includePaths: ['('] } }] },
      'includePaths',
    ],
    [
      'with data to extract and no language model',
      { targets: [{ type: 'scrape', urls: ['https://a.example'], scrapeOptions: { formats: ['json'] } }] },
      'language model',
    ],
    ['with a search', { targets: [{ type: 'search', queries: ['x'] }] }, 'language model'],
    [
      'with a search in and outside of sites',
      { targets: [{ type: 'search', queries: ['x'], includeDomains: ['a.example'], excludeDomains: ['b.example'] }] },
      'cannot be combined',
    ],
    ['with a goal and no language model', { goal: 'prices' }, 'language model'],
    [
      'with emails and no mail server',
      { notification: { email: { enabled: true, recipients: ['a@b.example'] } } },
      'Email notifications need a mail server',
    ],
    ['with Slack', { notification: { slack: { enabled: true } } }, 'Slack'],
    [
      'with its own signature header',
      { webhook: { url: 'https://a.example', headers: { 'X-Firecrawl-Signature': 'x' } } },
      'this header is set by the server',
    ],
    ['with an unknown event', { webhook: { url: 'https://a.example', events: ['page'] } }, 'events'],
    [
      'with links to other sites',
      { targets: [{ type: 'crawl', url: 'https://a.example', crawlOptions: { allowExternalLinks: true } }] },
      'does not follow links to other sites',
    ],
    ['with a retention of more than a year', { retentionDays: 366 }, 'retentionDays'],
  ])('%s', async (_what, change, message) => {
    const { status, body } = await lab.api('POST', '/v2/monitor', { ...valid(), ...change })

    expect(status).toBe(400)
    expect(JSON.stringify(body)).toContain(message)
  })
})

test('a monitor is created, read, listed, changed, paused, resumed and deleted', async () => {
  const made = await lab.api('POST', '/v2/monitor', {
    ...valid(),
    webhook: site.url('/hook'),
    origin: 'me',
    integration: 'x',
  })
  const { id } = made.body['data']

  expect(made).toMatchObject({
    status: 200,
    body: {
      success: true,
      data: {
        name: 'Page',
        status: 'active',
        schedule: { cron: '0 0 * * *', timezone: 'UTC', text: 'daily' },
        lastRunAt: null,
        currentCheckId: null,
        lastCheckSummary: null,
        targets: [{ id: expect.any(String), type: 'scrape', urls: [site.url('/page')] }],
        webhook: {
          url: site.url('/hook'),
          headers: {},
          metadata: {},
          events: ['monitor.page', 'monitor.check.completed'],
        },
        notification: {},
        retentionDays: 30,
        estimatedCreditsPerMonth: 30,
        goal: null,
        judgeEnabled: false,
      },
    },
  })
  const path = `/v2/monitor/${id}`
  const kept = await lab.api('PATCH', path, { targets: targets(), webhook: null })
  const paused = await lab.api('PATCH', path, { status: 'paused', origin: 'me' })
  const refused = await lab.api('POST', `${path}/run`, { origin: 'me' })
  const never = await lab.api('PATCH', path, { schedule: { cron: '0 0 30 2 *' } })
  const resumed = await lab.api('PATCH', path, {
    status: 'active',
    schedule: { text: 'hourly', timezone: 'Asia/Tokyo' },
  })
  const empty = await lab.api('PATCH', path, { origin: 'me' })
  const listed = await lab.api('GET', '/v2/monitor?limit=1')

  expect(kept.body['data']).toMatchObject({ webhook: null, targets: made.body['data'].targets })
  expect(paused.body['data']).toMatchObject({ status: 'paused', nextRunAt: null })
  expect(refused.status).toBe(409)
  expect(refused.body['error']).toBe('Monitor is paused. Resume it before running a check.')
  expect(never).toMatchObject({ status: 400, body: { error: expect.stringContaining('never runs') } })
  expect(resumed.body['data']).toMatchObject({
    status: 'active',
    schedule: { cron: '0 * * * *', timezone: 'Asia/Tokyo', text: 'hourly' },
  })
  expect(Date.parse(resumed.body['data'].nextRunAt)).toBeGreaterThan(Date.now())
  expect(empty).toMatchObject({ status: 400, body: { error: expect.stringContaining('Update body cannot be empty') } })
  expect(listed.body['data'].map((each: { id: string }) => each.id)).toEqual([id])
  expect((await lab.api('DELETE', path)).body).toMatchObject({ success: true })
  expect(await lab.api('GET', path)).toMatchObject({ status: 404, body: { error: 'Monitor not found' } })
})

test('an unknown id gets 404, and a malformed one 400', async () => {
  const { id } = await createMonitor(lab.api, { targets: targets() })

  expect(await lab.api('GET', `/v2/monitor/${unknownId}`)).toMatchObject({
    status: 404,
    body: { error: 'Monitor not found' },
  })
  expect(await lab.api('GET', `/v2/monitor/${id}/checks/${unknownId}`)).toMatchObject({
    status: 404,
    body: { error: 'Check not found' },
  })
  expect((await lab.api('GET', '/v2/monitor/first')).status).toBe(400)
})

test('a second check is rejected with the id of the running one', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { id } = await createMonitor(lab.api, { targets: targets() })
  site.hold(promise)
  const first = await lab.api('POST', `/v2/monitor/${id}/run`)

  const second = await lab.api('POST', `/v2/monitor/${id}/run`)
  const running = await lab.api('GET', `/v2/monitor/${id}`)
  site.hold(undefined)
  resolve()

  expect(second).toMatchObject({
    status: 409,
    body: { error: 'Monitor check is already running.', checkId: first.body['id'] },
  })
  expect(running.body['data'].currentCheckId).toBe(first.body['id'])
})

test('pages of a check are paginated and filtered by status', async () => {
  const { id } = await createMonitor(lab.api, {
    targets: [{ type: 'scrape', urls: [1, 2, 3].map((each) => site.url(`/page?${each}`)) }],
  })
  for (const each of [1, 2, 3]) site.set(`/page?${each}`, each === 3 ? 500 : `<h1>Page</h1><p>Number ${each}.</p>`)
  const { id: checkId } = await runCheck(lab.api, id)

  const first = await lab.api('GET', `/v2/monitor/${id}/checks/${checkId}?limit=2`)
  const rest = await lab.api('GET', first.body['next'])
  const broken = await lab.api('GET', `/v2/monitor/${id}/checks/${checkId}?status=error`)

  expect(first.body['data'].pages).toHaveLength(2)
  expect(first.body['next']).toBe(`${lab.server.url}/v2/monitor/${id}/checks/${checkId}?limit=2&skip=2`)
  expect(first.body['data'].next).toBe(first.body['next'])
  expect(rest.body['data'].pages).toHaveLength(1)
  expect(rest.body['next']).toBeUndefined()
  expect(broken.body['data'].pages).toMatchObject([
    { statusCode: 500, error: 'The page responded with status 500', currentScrapeId: expect.any(String) },
  ])
})

test('the public client creates, reads, runs, updates and deletes monitors', async () => {
  const client = new Firecrawl({ apiKey: lab.server.apiKey, apiUrl: lab.server.url })

  const made = await client.createMonitor({ ...valid(), targets: [{ type: 'scrape', urls: [site.url('/page')] }] })
  const started = await client.runMonitor(made.id)
  await expect
    .poll(async () => (await client.getMonitorCheck(made.id, started.id)).status, { timeout: 20_000 })
    .toBe('completed')
  const detail = await client.getMonitorCheck(made.id, started.id)
  const changed = await client.updateMonitor(made.id, {
    status: 'paused',
    notification: null,
    targets: [
      {
        type: 'crawl',
        url: site.url('/page'),
        // All options that the client supports and that apply to a sitemap.
        crawlOptions: {
          limit: null,
          includePaths: null,
          excludePaths: ['/no/'],
          regexOnFullURL: true,
          sitemap: 'include',
          deduplicateSimilarURLs: true,
          robotsUserAgent: null,
          maxConcurrency: 2,
          ignoreRobotsTxt: true,
          allowExternalLinks: false,
        },
      },
    ],
  })

  expect(detail.pages).toMatchObject([{ status: 'new', url: site.url('/page') }])
  expect((await client.listMonitorChecks(made.id, { limit: 5 })).map(({ id }) => id)).toEqual([started.id])
  expect(changed).toMatchObject({ status: 'paused', notification: {}, estimatedCreditsPerMonth: 100 * 30 })
  expect((await client.listMonitors({ limit: 100 })).map(({ id }) => id)).toContain(made.id)
  expect(await client.deleteMonitor(made.id)).toBe(true)
  await expect(client.getMonitor(made.id)).rejects.toMatchObject({ status: 404 })
})

test('the client runs a check to its end and shows what changed', async () => {
  const { monitors } = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })
  site.set('/price', '<h1>Price</h1><p>Ten euros.</p>')
  const { id } = await monitors.create({
    name: 'Price',
    schedule: { text: 'every 30 minutes' },
    targets: [{ type: 'scrape', urls: [site.url('/price')] }],
  })

  const baseline = await monitors.runToEnd(id)
  site.set('/price', '<h1>Price</h1><p>Twelve euros.</p>')
  const check = await monitors.runToEnd(id)

  expect(baseline.summary).toMatchObject({ totalPages: 1, new: 1 })
  expect(check.pages[0]?.diff?.text).toContain('-Ten euros.\n+Twelve euros.')
  expect((await monitors.checks(id)).map((each) => each.id)).toEqual([check.id, baseline.id])
  await monitors.delete(id)
  await expect(monitors.get(id)).rejects.toMatchObject({ code: 'MONITOR_NOT_FOUND' })
})

test('a crawl target reports new and removed pages of a site', async () => {
  const links = (paths: readonly string[]) =>
    `<h1>Blog</h1>${paths.map((path) => `<a href="${path}">${path}</a>`).join(' ')}`
  for (const path of ['/blog/a', '/blog/b', '/blog/c'])
    site.set(path, `<h1>Post ${path}</h1><p>Words about things of all kinds.</p>`)
  site.set('/robots.txt', '\nUser-agent: *\nDisallow: /blog/secret\n')
  site.set('/blog/', links(['/blog/a', '/blog/b', '/blog/skip-me', '/blog/secret']))
  site.set('/app/', `<div></div><script>document.querySelector('div').innerHTML = '<a href="/app/x">X</a>'</script>`)
  site.set('/app/x', '<p>Words of an application.</p>')
  site.set('/single', '<p>A page with nothing below it.</p><a href="/blog/">Blog</a>')
  const { id, estimatedCreditsPerMonth } = await createMonitor(lab.api, {
    targets: [
      { type: 'crawl', url: site.url('/blog/'), crawlOptions: { limit: 10, excludePaths: ['skip'] } },
      { type: 'crawl', url: site.url('/app/'), crawlOptions: { limit: 10 } },
      { type: 'crawl', url: site.url('/single'), crawlOptions: { limit: 10 } },
    ],
  })

  const first = await runCheck(lab.api, id)
  site.set('/blog/', links(['/blog/b', '/blog/c']))
  site.set('/blog/a', 410)
  site.set('/robots.txt', `User-agent: *\nDisallow: /blog/secret\n${'#'.repeat(512_000)}`)
  const second = await runCheck(lab.api, id)

  const states = (check: typeof first) =>
    Object.fromEntries(
      check['pages'].map((page: { url: string; status: string }) => [new URL(page.url).pathname, page.status]),
    )
  expect(estimatedCreditsPerMonth).toBe(900)
  const app = (status: string) => ({ '/app/': status, '/app/x': status, '/single': status })
  expect(states(first)).toEqual({ '/blog/': 'new', '/blog/a': 'new', '/blog/b': 'new', ...app('new') })
  expect(states(second)).toEqual({
    '/blog/': 'changed',
    '/blog/a': 'removed',
    '/blog/b': 'same',
    '/blog/c': 'new',
    ...app('same'),
  })
  expect(second['targetResults']).toMatchObject([
    { type: 'crawl', pages: 4, warning: expect.stringMatching(/robots\.txt is longer than 0\.512 MB/) },
    { type: 'crawl', pages: 2 },
    { type: 'crawl', pages: 1 },
  ])
})

test('monitors, checks and deliveries of another team are not found', async () => {
  const { body } = await lab.api('POST', '/v2/team/keys', { team: 'others' })
  const foreign = { authorization: `Bearer ${body['key']}` }
  const { id } = await createMonitor(lab.api, { targets: targets(), webhook: site.url('/page') })
  const { id: checkId } = await runCheck(lab.api, id)
  const { body: deliveries } = await lab.api('GET', `/v2/team/webhooks/deliveries?jobId=${checkId}`)
  const path = `/v2/monitor/${id}`
  const delivery = `/v2/team/webhooks/deliveries/${deliveries['data'][0].id}`

  const answers = await Promise.all([
    lab.api('GET', path, undefined, foreign),
    lab.api('PATCH', path, { name: 'Mine' }, { ...foreign, 'content-type': 'application/json' }),
    lab.api('DELETE', path, undefined, foreign),
    lab.api('POST', `${path}/run`, undefined, foreign),
    lab.api('GET', `${path}/checks`, undefined, foreign),
    lab.api('GET', `${path}/checks/${checkId}`, undefined, foreign),
    lab.api('GET', delivery, undefined, foreign),
    lab.api('POST', `${delivery}/redeliver`, undefined, foreign),
  ])

  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 404))
  expect((await lab.api('GET', '/v2/monitor', undefined, foreign)).body['data']).toEqual([])
  expect((await lab.api('GET', path)).body['data'].name).toBe('Prices')
})
