import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseConfig } from '../../src/config.ts'
import { openSearches } from '../../src/search/open-searches.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { Billing } from '../../src/billing/billing.ts'
import { defaultPrices } from '../../src/billing/prices.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { fixedPage, sendJson } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { openPostgresStore } from '../../../test/lab/stores.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let urls: readonly string[] = []

beforeAll(async () => {
  site = fixture.use(
    await startSite({
      '/web/search': (exchange) => {
        const results = urls.map((url, index) => ({ url, title: `Result ${index}`, description: 'Found' }))
        sendJson(exchange, { web: { results: exchange.url.searchParams.has('offset') ? [] : results } })
      },
      '/news/search': (exchange) =>
        sendJson(exchange, {
          results: [
            {
              url: site.url('/boat'),
              title: 'News',
              description: 'New',
              page_age: '2026-01-01T00:00:00Z',
              thumbnail: { src: 'http://t.example/1' },
            },
          ],
        }),
      '/images/search': (exchange) =>
        sendJson(exchange, {
          results: [
            {
              url: site.url('/boat'),
              title: 'Boat',
              properties: { url: 'http://i.example/b.png', width: 4, height: 3 },
            },
          ],
        }),
      '/boat': fixedPage('Boat', '<h1>The boat</h1>'),
      '/never': () => undefined,
    }),
  )
  lab = fixture.use(await startLab({ braveUrl: site.url(''), braveKey: 'secret' }))
})
afterAll(async () => fixture.disposeAsync())

async function search(body: object, version = 'v2') {
  return lab.api('POST', `/${version}/search`, { query: 'boats', ...body })
}
const scrapeOptions = { formats: ['markdown'], maxAge: 0, timeout: 20_000 }

test.each(['v1', 'v2'])(
  '%s: a page that cannot be scraped has an error, and the others are scraped',
  async (version) => {
    urls = [site.url('/boat'), site.url('/gone'), 'http://nothing.invalid/', 'ftp://files.example/boat']

    const { status, body } = await search({ scrapeOptions }, version)
    const results = (version === 'v1' ? body['data'] : body['data']['web']) as readonly Record<string, unknown>[]

    expect(status).toBe(200)
    expect(results.map(({ url }) => url)).toEqual(urls)
    expect(results).toMatchObject([
      {
        title: 'Result 0',
        markdown: expect.stringContaining('# The boat'),
        metadata: { statusCode: 200, title: 'Boat' },
      },
      { metadata: { statusCode: 404, error: 'The page responded with status 404' } },
      { description: 'Found', metadata: { error: expect.stringContaining('does not resolve') } },
      { metadata: { error: expect.stringContaining('protocol') } },
    ])
    expect(body['warning']).toContain('2 of 4 results could not be scraped')
    if (version === 'v2') expect(body['creditsUsed']).toBe(4)
  },
)

test('results that cannot be scraped are omitted on request', async () => {
  urls = ['ftp://files.example/boat', site.url('/boat')]

  const { body } = await search({ ignoreInvalidURLs: true })

  expect(body['data']['web']).toMatchObject([{ url: site.url('/boat') }])
})

test('a page that times out does not affect the others', async () => {
  urls = [site.url('/never'), site.url('/boat')]

  const { status, body } = await search({ scrapeOptions, timeout: 4000 })

  expect(status).toBe(200)
  expect(body['data']['web']).toMatchObject([
    { metadata: { code: 'SEARCH_TIMEOUT', statusCode: 408 } },
    { markdown: expect.stringContaining('# The boat') },
  ])
})

test('each source has its own list', async () => {
  urls = [site.url('/boat')]

  const { body } = await search({ sources: ['news', 'images'], limit: 1 })

  expect(body).toMatchObject({ success: true, creditsUsed: 2 })
  expect(body['data']).toEqual({
    news: [
      {
        title: 'News',
        url: site.url('/boat'),
        snippet: 'New',
        date: '2026-01-01T00:00:00.000Z',
        imageUrl: 'http://t.example/1',
        position: 1,
      },
    ],
    images: [
      {
        title: 'Boat',
        imageUrl: 'http://i.example/b.png',
        imageWidth: 4,
        imageHeight: 3,
        url: site.url('/boat'),
        position: 1,
      },
    ],
  })
})

test('the server does not start with a provider that is not configured', async () => {
  await using store = await openPostgresStore()
  await using undo = new AsyncDisposableStack()
  const billing = new Billing({ store, nodeId: uuidV7() })
  const deps = { store, billing, prices: defaultPrices, onError: () => {} }

  expect(() => openSearches(undo, parseConfig({ search: 'brave' }), deps)).toThrow('--brave-key')
  expect(() => openSearches(undo, parseConfig({ search: 'searxng', braveKey: 'x' }), deps)).toThrow('--searxng-url')
  expect(() => parseConfig({ search: 'altavista' as never })).toThrow('"brave"')
})
