import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { listLedger } from '../billing/list-ledger.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { ensureTeam, findTeam, updateTeam } from '../../src/teams/team-queries.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite } from '../../../test/lab/site.ts'
import { startHttpUpstream } from '../egress/upstream-server.ts'
import { startScrapeFixture, type ScrapeFixture } from './fixture.ts'

const fixture = new AsyncDisposableStack()
let store: Store
let scraping: ScrapeFixture
let teamId: string

// On PostgreSQL, so that the test can look into the store of the running server.
beforeAll(async () => {
  const database = fixture.use(await (await sharedPostgres()).createDatabase())
  const strict = fixture.use(await startSite({ '/': ({ response }) => void response.writeHead(403).end('go away') }))
  const friendly = fixture.use(await startSite({ '/': fixedPage('Shop', '<p>Come in.</p>') }))
  const basic = fixture.use(await startHttpUpstream(strict.port))
  const enhanced = fixture.use(await startHttpUpstream(friendly.port))
  const proxies = {
    proxyBasic: `http://127.0.0.1:${basic.port}`,
    proxyEnhanced: `http://127.0.0.1:${enhanced.port}`,
  }
  scraping = fixture.use(await startScrapeFixture({ databaseUrl: database.url, ...proxies }))
  store = fixture.use(await openStore({ dataDir: scraping.lab.dataDir, databaseUrl: database.url }))
  teamId = (await ensureTeam(store.db, { name: 'default' })).id
})
afterAll(async () => fixture.disposeAsync())

describe('a scrape', () => {
  test('is charged once, under its id, to the credits of its team', async () => {
    await updateTeam(store.db, teamId, { credits: 10 })

    const page = await scraping.read('/three.pdf')

    const [bill] = await listLedger(store.db, { teamId })
    expect(bill).toMatchObject({ kind: 'scrape', subjectId: page['metadata']['scrapeId'], credits: 3 })
    expect((await findTeam(store.db, teamId))?.credits).toBe(7)
  })

  test('that cannot be paid for does not consume the change of its page', async () => {
    const formats = ['markdown', { type: 'changeTracking', tag: 'unpaid' }]
    await updateTeam(store.db, teamId, { credits: 1 })
    const unpaid = await scraping.scrape('/three.pdf', { formats })
    await updateTeam(store.db, teamId, { credits: 10 })

    const paid = await scraping.read('/three.pdf', { formats })

    expect(unpaid.status).toBe(402)
    expect(paid['changeTracking']['changeStatus']).toBe('new')
    expect((await scraping.read('/three.pdf', { formats }))['changeTracking']['changeStatus']).toBe('same')
    expect((await findTeam(store.db, teamId))?.credits).toBe(4)
  })

  test('that fails costs nothing', async () => {
    await updateTeam(store.db, teamId, { credits: 10 })

    await scraping.scrape('/broken.pdf')

    expect((await findTeam(store.db, teamId))?.credits).toBe(10)
  })

  test('whose caller disconnects costs nothing, and is in the activity', async () => {
    await updateTeam(store.db, teamId, { credits: 1 })
    const stop = new AbortController()
    const gone = fetch(`${scraping.lab.server.url}/v2/scrape`, {
      method: 'POST',
      headers: { authorization: `Bearer ${scraping.lab.server.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: scraping.site.url('/drip') }),
      signal: stop.signal,
    })
    await scraping.site.requests.waitFor('/drip')

    stop.abort()

    await expect(gone).rejects.toThrow('aborted')
    // The only credit is free for another scrape as soon as the first one has stopped.
    await vi.waitFor(async () => scraping.read('/article'), { timeout: 10_000 })
    expect((await findTeam(store.db, teamId))?.credits).toBe(0)
    await expect
      .poll(async () => (await scraping.lab.api('GET', '/v2/team/activity?failed=true&limit=1')).body['data'])
      .toMatchObject([{ target: scraping.site.url('/drip'), error: 'ABORTED' }])
  })

  test('that the team cannot pay for is rejected before any work, even concurrently', async () => {
    await updateTeam(store.db, teamId, { credits: 2 })

    const answers = await Promise.all(['a', 'b', 'c', 'd'].map(async (name) => scraping.scrape(`/article?${name}`)))

    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 200, 402, 402])
    expect((await findTeam(store.db, teamId))?.credits).toBe(0)
    const asked = scraping.site.requests.all.filter(({ path }) => path.startsWith('/article?'))
    expect(asked).toHaveLength(2)
  })
})

describe('the proxy', () => {
  const shop = { url: 'http://shop.example/' }
  const used = async (proxy: string) => {
    await updateTeam(store.db, teamId, { credits: null })
    const { statusCode, proxyUsed, creditsUsed } = (await scraping.read('', { ...shop, proxy }))['metadata']
    return { statusCode, proxyUsed, creditsUsed }
  }

  test('basic costs one credit, and fails on a site that blocks it', async () => {
    expect(await used('basic')).toEqual({ statusCode: 403, proxyUsed: 'basic', creditsUsed: 1 })
  })

  test.each(['enhanced', 'stealth'])('%s costs five', async (proxy) => {
    expect(await used(proxy)).toEqual({ statusCode: 200, proxyUsed: 'stealth', creditsUsed: 5 })
  })

  test('enhanced costs one if the page loads without it', async () => {
    for (const cacheState of ['miss', 'hit']) {
      const { metadata } = await scraping.read('/article?enhanced', { proxy: 'enhanced', maxAge: 60_000 })

      expect(metadata).toMatchObject({ proxyUsed: 'basic', creditsUsed: 1, cacheState })
    }
  })

  test('auto costs five if only the enhanced proxy succeeds', async () => {
    expect(await used('auto')).toEqual({ statusCode: 200, proxyUsed: 'stealth', creditsUsed: 5 })
  })

  test('auto costs one if the basic proxy succeeds', async () => {
    const { metadata } = await scraping.read('/article', { proxy: 'auto' })

    expect(metadata).toMatchObject({ proxyUsed: 'basic', creditsUsed: 1 })
  })
})
