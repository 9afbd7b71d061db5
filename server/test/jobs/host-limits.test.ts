import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { deleteExpiredJobs } from '../../src/jobs/job-queries.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { sendHtml, type Pages } from '../../../test/lab/pages/page.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite } from '../../../test/lab/site.ts'
import { startHttpUpstream } from '../egress/upstream-server.ts'
import { linksTo } from '../map/fixture.ts'
import { makePages, startJobFixture, type JobFixture } from './fixture.ts'

const secret = 'words that nobody keeps'
const posted: string[] = []
const arrivals: { readonly path: string; readonly atMs: number }[] = []
const counted = makePages().pages['/counted']

const pages: Pages = {
  '/robots.txt': ({ request, response }) => {
    const rest = request.headers.host === 'long.test' ? '#'.repeat(512_000) : ''
    response.end(`User-agent: *\nDisallow: /private/\n${rest}`)
  },
  '/': linksTo('http://docs.site.test/in', 'http://elsewhere.test/out', '/private/page'),
  '/chain': linksTo('/chain/1', '/chain/2'),
  '/chain/1': linksTo(),
  '/chain/2': linksTo(),
  '/in': linksTo(),
  '/out': linksTo(),
  '/private/page': linksTo(),
  '/counted': async (exchange) => counted?.(exchange),
  '/secret': (exchange) => sendHtml(exchange, 'Secret', `<p>${secret}</p>`),
  '/hook': async ({ request, response }) => {
    posted.push(await text(request))
    response.end()
  },
}

const watched = Object.fromEntries(
  Object.entries(pages).map(([path, page]) => [
    path,
    (exchange: Parameters<typeof page>[0]) => {
      arrivals.push({ path, atMs: performance.now() })
      return page(exchange)
    },
  ]),
) as Pages

// PostgreSQL, because the tests read the store of the running server. A proxy allows sites of any
// name.
const undo = new AsyncDisposableStack()
let fixture: JobFixture
let store: Store
beforeAll(async () => {
  const { url: databaseUrl } = undo.use(await (await sharedPostgres()).createDatabase())
  const site = undo.use(await startSite(watched))
  const proxy = undo.use(await startHttpUpstream(site.port))
  const proxyBasic = `http://127.0.0.1:${proxy.port}`
  const limits = { robots: 'honour', maxHostPages: 2, hostDelay: 40 } as const
  fixture = undo.use(await startJobFixture('PGlite', { databaseUrl, proxyBasic, ...limits }, {}))
  store = undo.use(await openStore({ dataDir: fixture.lab.dataDir, databaseUrl }))
})
afterAll(async () => undo.disposeAsync())

async function run(path: string, body: object) {
  const url = await fixture.start(path, body)
  return { url, status: await fixture.ended(url) }
}

function timesOf(start: string): readonly number[] {
  return arrivals.filter(({ path }) => path.startsWith(start)).map(({ atMs }) => atMs)
}

describe('a batch', () => {
  test('skips pages that robots.txt disallows if the server honours it', async () => {
    const urls = ['http://site.test/private/page', 'http://site.test/in']
    const { url, status } = await run('/v2/batch/scrape', { urls })

    expect(status).toMatchObject({ status: 'completed', completed: 1, total: 1, creditsUsed: 1 })
    expect((await fixture.lab.api('GET', `${url}/errors`)).body).toEqual({ errors: [], robotsBlocked: [urls[0]] })
    expect(timesOf('/private')).toEqual([])
  })

  test('names the truncated robots.txt in its warning, like a crawl', async () => {
    const warning = 'http://long.test/robots.txt is longer than 0.512 MB: the rest was omitted.'
    const urls = ['http://long.test/in', 'http://long.test/private/page', 'http://site.test/in']
    const batch = await run('/v2/batch/scrape', { urls })
    const crawl = await run('/v2/crawl', { url: 'http://long.test/in' })

    const blocked = `1 page was not scraped. See GET ${new URL(batch.url).pathname}/errors for the reasons.`
    expect(batch.status).toMatchObject({ completed: 2, warning: `${blocked} ${warning}` })
    expect(crawl.status).toMatchObject({ completed: 1, warning: expect.stringContaining(warning) as string })
  })

  test('keeps requests to a host within its concurrency and delay', async () => {
    const urls = Array.from({ length: 6 }, (_, index) => `http://site.test/counted?n=${index}`)
    const { status } = await run('/v2/batch/scrape', { urls })

    const shown = status['data'].map(({ markdown }: { markdown: string }) => Number.parseInt(markdown, 10))
    expect(Math.max(...shown)).toBeLessThanOrEqual(2)
    const times = timesOf('/counted')
    // Five pauses of 40 ms, minus a possible delay of the first page.
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(150)
  })

  test('with zeroDataRetention stores no pages and sends them only to its webhook', async () => {
    const { url, status } = await run('/v2/batch/scrape', {
      urls: ['http://site.test/secret'],
      zeroDataRetention: true,
      webhook: { url: 'http://site.test/hook', events: ['page'] },
    })

    expect(status).toMatchObject({
      completed: 1,
      creditsUsed: 2,
      data: [],
      warning: expect.stringContaining('not stored'),
    })
    await vi.waitFor(() => expect(posted.join()).toContain(secret), 10_000)
    await vi.waitFor(async () => expect(await tablesHolding(secret)).toEqual([]), 10_000)
    expect((await fixture.lab.api('GET', `${url}/errors`)).body).toEqual({ errors: [], robotsBlocked: [] })
    const lists = ['/v2/team/jobs?search=secret', '/v2/team/credit-usage/costs', '/v2/team/activity']
    for (const list of lists) expect(JSON.stringify((await fixture.lab.api('GET', list)).body)).not.toContain('/secret')
  })

  test('is deleted with its pages one day after its end, however long it ran', async () => {
    const { url } = await run('/v2/batch/scrape', { urls: ['http://site.test/in'] })
    const id = url.split('/').at(-1) ?? ''
    const { rows } = await sql<{
      hours: number
    }>`update job set expires_at = expires_at - interval '24 hours', status = 'scraping'
      where id = ${id} returning extract(epoch from expires_at - finished_at) / 3600 as hours`.execute(store.db)

    expect(await tablesHolding(id)).toContain('job_page')
    await deleteExpiredJobs(store.db)
    const running = await fixture.lab.api('GET', url)
    await sql`update job set status = 'completed' where id = ${id}`.execute(store.db)
    const late = await fixture.lab.api('GET', url)
    await deleteExpiredJobs(store.db)

    expect(Math.abs(Number(rows[0]?.hours))).toBeLessThan(0.001)
    expect(running).toMatchObject({ status: 200, body: { status: 'scraping' } })
    expect(Date.parse(running.body['expiresAt'])).toBeGreaterThan(Date.now() + 3_600_000)
    expect(late).toMatchObject({ status: 404, body: { error: 'Job not found' } })
    expect(await tablesHolding(id)).not.toContain('job_page')
  })
})

describe('a crawl', () => {
  test.each([
    ['only its own host', {}, []],
    ['subdomains, when allowed', { allowSubdomains: true }, ['http://docs.site.test/in']],
    [
      'other sites, when allowed',
      { allowExternalLinks: true },
      ['http://docs.site.test/in', 'http://elsewhere.test/out'],
    ],
  ])('crawls %s', async (_name, options, further) => {
    const { status } = await run('/v2/crawl', { url: 'http://site.test/', sitemap: 'skip', ...options })

    const urls = status['data'].map(({ metadata }: { metadata: { sourceURL: string } }) => metadata.sourceURL)
    expect(urls.toSorted()).toEqual([...further, 'http://site.test/'].toSorted())
  })

  test('waits for `delay` between pages', async () => {
    const { status } = await run('/v2/crawl', { url: 'http://site.test/chain', sitemap: 'skip', delay: 0.3 })

    const [first = 0, second = 0, third = 0] = timesOf('/chain')
    expect(status).toMatchObject({ status: 'completed', completed: 3 })
    expect(second - first).toBeGreaterThanOrEqual(290)
    expect(third - second).toBeGreaterThanOrEqual(290)
  })
})

/** Returns the names of all tables that contain a text in any column. */
async function tablesHolding(wanted: string): Promise<readonly string[]> {
  const { rows } = await sql<{ schema: string; name: string }>`select table_schema as schema, table_name as name
    from information_schema.tables where table_schema in ('public', 'pgboss') and table_type = 'BASE TABLE'`.execute(
    store.db,
  )
  const found: string[] = []
  for (const { schema, name } of rows) {
    const table = sql.table(`${schema}.${name}`)
    const { rows: hits } = await sql`select 1 from ${table} as t where t::text like ${`%${wanted}%`} limit 1`.execute(
      store.db,
    )
    if (hits.length > 0) found.push(name)
  }
  return found
}
