import { Firecrawl } from 'firecrawl'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline } from '../../../src/index.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

const fixture = new AsyncDisposableStack()
let lab: Lab
let site: Site
let bowline: Bowline
let client: Firecrawl

beforeAll(async () => {
  site = fixture.use(
    await startSite({
      '/harbour': fixedPage('The harbour', '<main><h1>The harbour</h1><p>Boats come in at night.</p></main>'),
      '/boats': fixedPage('Boats', '<main><h1>Boats</h1><p>What boats are made of.</p></main>'),
      '/secret': fixedPage('Secret boats', '<p>boats of the navy</p>'),
    }),
  )
  lab = fixture.use(await startLab())
  bowline = fixture.use(new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false }))
  client = new Firecrawl({ apiKey: lab.server.apiKey, apiUrl: lab.server.url })
  await bowline.scrape(site.url('/harbour'))
  await bowline.scrape(site.url('/boats'))
  await bowline.scrape(site.url('/secret'), { storeInCache: false })
  await bowline.scrape(site.url('/secret'), { zeroDataRetention: true })
  await bowline.scrape(site.url('/secret'), { headers: { 'x-rank': 'captain' } })
})
afterAll(async () => fixture.disposeAsync())

async function search(body: object, version = 'v2') {
  return lab.api('POST', `/${version}/search`, body)
}

test('finds scraped pages, except those scraped with zeroDataRetention', async () => {
  const { status, body } = await search({ query: 'intitle:harbour boats' })

  expect(status).toBe(200)
  expect(body).toEqual({
    success: true,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    creditsUsed: 2,
    data: {
      web: [
        { url: site.url('/harbour'), title: 'The harbour', description: expect.stringContaining('night'), position: 1 },
      ],
    },
  })
  expect((await search({ query: 'navy' })).body['data']).toEqual({ web: [] })
})

test('v1 returns a flat list of titles, descriptions and URLs', async () => {
  const { body } = await search({ query: 'made' }, 'v1')

  expect(body).toEqual({
    success: true,
    id: expect.any(String),
    data: [{ url: site.url('/boats'), title: 'Boats', description: expect.any(String) }],
  })
})

test.each(['v1', 'v2'])('%s scrapes each result', async (version) => {
  const options = { formats: ['markdown'], maxAge: 0, timeout: 20_000, includeTags: ['main'] }

  const { status, body } = await search({ query: 'boats', scrapeOptions: options }, version)
  const results = version === 'v1' ? body['data'] : body['data']['web']

  expect(status).toBe(200)
  expect(results).toContainEqual(
    expect.objectContaining({
      url: site.url('/harbour'),
      markdown: expect.stringContaining('# The harbour'),
      metadata: expect.objectContaining({ statusCode: 200, creditsUsed: 1 }),
    }),
  )
})

test('a result that cannot be scraped has an error, and the others are complete', async () => {
  const { body } = await search({
    query: 'boats',
    scrapeOptions: { formats: ['markdown'], lockdown: true, mobile: true },
  })

  expect(body['data']['web']).toHaveLength(2)
  expect(body['data']['web'][0]).toMatchObject({
    title: expect.any(String),
    metadata: { statusCode: 404, code: 'SCRAPE_LOCKDOWN_CACHE_MISS', error: expect.stringContaining('not cached') },
  })
  expect(body).toMatchObject({ success: true, creditsUsed: 2, warning: expect.stringContaining('2 of 2 results') })
})

test('warns about options that have no effect', async () => {
  const { body } = await search({ query: 'boats', sources: ['web', { type: 'news' }], location: 'Berlin, Germany' })

  expect(body['data']).toMatchObject({ news: [], web: [{}, {}] })
  expect(body['warning']).toContain('does not provide news results')
  expect(body['warning']).toContain('does not support locations')
  expect((await search({ query: 'boats', country: 'de' })).body['warning']).toContain('and countries')
})

test.each([
  ['intitle:night OR boats', true],
  ['inurl:a OR inurl:b', true],
  ['boats OR -night', true],
  ['boats OR night', false],
  ['boats site:a.example OR site:b.example', false],
  ['OR boats OR', false],
])('a warning states that `OR` has no effect in %s: %s', async (query, isIgnored) => {
  const { status, body } = await search({ query })

  expect(status).toBe(200)
  expect(String(body['warning']).includes('`OR` joins words')).toBe(isIgnored)
})

test.each([
  [{}, 'query'],
  [{ query: '  ' }, 'query'],
  [{ query: 'x\0' }, '`query` must not contain the character U+0000'],
  [{ query: 'x', limit: 101 }, 'limit'],
  [{ query: 'x', tbs: 'qdr:x' }, 'qdr:d'],
  [{ query: 'x', unknown: 1 }, 'unknown'],
  [{ query: 'x', includeDomains: ['a.example'], excludeDomains: ['b.example'] }, 'cannot be combined'],
  [{ query: 'x', sources: ['web', 'web'] }, 'once'],
  [{ query: 'x', scrapeOptions: { formats: ['changeTracking'] } }, 'markdown'],
])('rejects %o', async (body, why) => {
  const answer = await search(body)

  expect(answer).toMatchObject({ status: 400, body: { success: false, error: 'Invalid request body', details: [{}] } })
  expect(answer.body['hint']).toContain(why)
})

test('a query without words is rejected', async () => {
  expect(await search({ query: '""' })).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } })
})

test('accepts fields that public clients add, and rejects options that it cannot honour', async () => {
  const added = { toolDetail: 'compact', domainTools: true, highlights: true, origin: 'mcp', integration: 'cli' }

  const { status, body } = await search({ query: 'boats', sources: ['web', 'alexandria'], ...added })

  expect([status, Object.keys(body['data'])]).toEqual([200, ['web']])
  expect((await search({ query: 'boats', sources: ['alexandria'] })).status).toBe(400)
  expect((await search({ query: 'boats', enterprise: ['zdr'] })).status).toBe(400)
})

test.each(['v1', 'v2'])('%s refuses a format that the server does not support, without a charge', async (version) => {
  const balance = async () => (await lab.api('GET', '/v2/team/credit-usage')).body
  const before = await balance()

  const answer = await search({ query: 'boats', scrapeOptions: { formats: ['summary'] } }, version)

  expect(answer).toMatchObject({ status: 400, body: { code: 'FORMAT_UNAVAILABLE' } })
  expect(await balance()).toEqual(before)
})

test('the public client searches with both API versions', async () => {
  const second = await client.search('boats', { limit: 1, sources: ['web'], timeout: 20_000 })
  const first = await client.v1.search('boats', { limit: 1 })
  const scraped = await client.search('harbour', { scrapeOptions: { formats: ['markdown'] } })

  expect(second.web).toMatchObject([{ title: expect.any(String) }])
  expect(first).toMatchObject({ success: true, data: [{ url: expect.any(String) }] })
  expect(scraped.web).toMatchObject([{ markdown: expect.stringContaining('# The harbour') }])
  await expect(client.search('boats', { tbs: 'soon' })).rejects.toMatchObject({ status: 400 })
})

test('the Bowline client searches, and stops when aborted', async () => {
  const { web, news, images, creditsUsed, id, warning } = await bowline.search('boats', { limit: 1 })

  expect(web).toMatchObject([{ url: expect.any(String) }])
  expect({ news, images, creditsUsed, warning }).toEqual({ news: [], images: [], creditsUsed: 2, warning: undefined })
  expect(id).toBeDefined()
  await expect(bowline.search('boats', {}, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
    'enough',
  )
})
