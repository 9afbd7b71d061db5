import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readTimeRange } from '../../../src/contract.ts'
import { createBraveProvider } from '../../src/search/brave-provider.ts'
import type { SearchProvider, ProviderQuery } from '../../src/search/provider.ts'
import { sendJson, type Exchange, type Page } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { noSignal, webQuery } from './fixture.ts'

const fixture = new AsyncDisposableStack()
let site: Site
let brave: SearchProvider
let isLimited = false

function item(number: number, host = 'a.example') {
  return {
    type: 'search_result',
    url: `http://${host}/page/${number}`,
    title: `Page ${number}`,
    description: 'About boats',
    page_age: `2026-01-0${1 + (number % 9)}T10:00:00`,
    thumbnail: { src: 'http://t.example/small', original: 'http://t.example/whole' },
  }
}

/**
 * The documented API: a key, pages of at most 20 results, an offset in pages, 422 for values out of
 * range.
 */
function guarded(maxCount: number, answer: (exchange: Exchange, count: number, offset: number) => object): Page {
  return (exchange) => {
    const { searchParams } = exchange.url
    const count = Number(searchParams.get('count') ?? 20)
    const offset = Number(searchParams.get('offset') ?? 0)
    if (exchange.request.headers['x-subscription-token'] !== 'secret') {
      exchange.response.statusCode = 422
      return sendJson(exchange, { type: 'ErrorResponse', error: { code: 'SUBSCRIPTION_TOKEN_INVALID' } })
    }
    if (isLimited) {
      isLimited = false
      exchange.response.statusCode = 429
      exchange.response.setHeader('retry-after', '0')
      return sendJson(exchange, { type: 'ErrorResponse' })
    }
    exchange.response.statusCode = count > maxCount || offset > 9 ? 422 : 200
    return sendJson(exchange, answer(exchange, count, offset))
  }
}

beforeAll(async () => {
  site = fixture.use(
    await startSite({
      '/web/search': guarded(20, (_, count, offset) => {
        const results = Array.from({ length: count }, (__, index) => {
          const number = offset * count + index
          return item(number, number % 2 === 0 ? 'even.example' : 'odd.example')
        })
        return { type: 'search', web: { type: 'search', results } }
      }),
      '/odd/web/search': (exchange) =>
        sendJson(exchange, {
          web: {
            results: [
              { ...item(1), thumbnail: 'http://t.example/1', properties: [] },
              { ...item(2), title: { text: 'Two' }, properties: { width: 'wide' } },
            ],
          },
        }),
      '/news/search': guarded(50, () => ({ type: 'news', results: [item(1)] })),
      '/images/search': guarded(200, () => ({
        type: 'images',
        results: [{ ...item(1), properties: { url: 'http://i.example/boat.png', width: 640, height: 480 } }],
      })),
    }),
  )
  brave = createBraveProvider({ url: site.url(''), key: 'secret' })
})
beforeEach(() => {
  isLimited = false
})
afterAll(async () => fixture.disposeAsync())

async function search(query: string, changes: Partial<ProviderQuery> = {}) {
  const before = site.requests.all.length
  const found = await brave.search(webQuery(query, changes), noSignal)
  const asked = site.requests.all.slice(before).map(({ path }) => new URL(path, 'http://x').searchParams)
  return { ...found, asked }
}

test('returns web results in pages of twenty', async () => {
  const { results, asked } = await search('boats', { limit: 45 })

  expect(results).toHaveLength(45)
  expect(results[0]).toEqual({
    url: 'http://even.example/page/0',
    title: 'Page 0',
    description: 'About boats',
    date: new Date('2026-01-01T10:00:00Z'),
    imageUrl: 'http://t.example/whole',
  })
  expect(asked.map((parameters) => [parameters.get('count'), parameters.get('offset')])).toEqual([
    ['20', null],
    ['20', '1'],
    ['20', '2'],
  ])
})

test('returns news and images', async () => {
  const news = await search('boats', { source: 'news' })
  const images = await search('boats', { source: 'images', safe: 'moderate' })

  expect(news.results).toMatchObject([{ title: 'Page 1', date: new Date('2026-01-02T10:00:00Z') }])
  expect(images.results).toMatchObject([{ imageUrl: 'http://i.example/boat.png', imageWidth: 640, imageHeight: 480 }])
  expect(images.asked[0]?.get('safesearch')).toBe('strict')
})

test('ignores values of unexpected types', async () => {
  const odd = createBraveProvider({ url: site.url('/odd'), key: 'secret' })

  const { results } = await odd.search(webQuery('boats', { limit: 2 }), noSignal)

  expect(results.map(({ url, title }) => [url, title])).toEqual([
    ['http://a.example/page/1', 'Page 1'],
    ['http://a.example/page/2', 'http://a.example/page/2'],
  ])
})

test.each<[string, Partial<ProviderQuery>, Readonly<Record<string, string>>]>([
  ['boats', { country: 'de', language: 'de' }, { country: 'DE', search_lang: 'de' }],
  ['boats', { language: 'ja', safe: 'off' }, { search_lang: 'jp', safesearch: 'off' }],
  ['boats', { range: readTimeRange('qdr:w') }, { freshness: 'pw' }],
  [
    'boats',
    { range: readTimeRange('cdr:1,cd_min:01/02/2026,cd_max:01/31/2026') },
    { freshness: '2026-01-02to2026-01-31' },
  ],
  ['"at night" -day site:odd.example', { limit: 1 }, { q: '"at night" -day site:odd.example' }],
  ['inurl:page intitle:page', { limit: 1 }, { q: 'page intitle:page' }],
  ['related:odd.example', { limit: 1 }, { q: 'odd' }],
])('sends %s %o in the format of the service', async (query, changes, expected) => {
  const { asked } = await search(query, changes)

  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject(expected)
})

test('omits results that do not match, and reads more pages', async () => {
  const { results } = await search('related:even.example inurl:page', {
    limit: 15,
    range: readTimeRange('cdr:1,cd_min:01/03/2026'),
  })

  expect(results).toHaveLength(15)
  expect(results.filter(({ url }) => url.includes('even'))).toEqual([])
  expect(results.filter(({ date }) => date! < new Date('2026-01-03'))).toEqual([])
})

test('warns that a long query was truncated', async () => {
  const { warnings } = await search('a '.repeat(300))

  expect(warnings).toEqual([expect.stringContaining('up to 400 characters')])
})

test('warns about options that the service does not support', async () => {
  const { warnings } = await search('related:odd.example', { country: 'is' })

  expect(warnings).toEqual([expect.stringContaining('country IS'), expect.stringContaining('related:')])
})

test('waits as long as the service requests', async () => {
  isLimited = true

  const { results, asked } = await search('boats', { limit: 1 })

  expect([results.length, asked.length]).toEqual([1, 2])
})

test('reports errors of the service without the key', async () => {
  const unauthorized = createBraveProvider({ url: site.url(''), key: 'wrong-key' })

  const failing = unauthorized.search(webQuery('boats'), noSignal)

  await expect(failing).rejects.toMatchObject({
    code: 'SEARCH_FAILED',
    message: expect.stringMatching(/422.*SUBSCRIPTION_TOKEN_INVALID/),
  })
  await expect(failing).rejects.not.toThrow('wrong-key')
})

test('an aborted search rejects with the reason', async () => {
  const signal = AbortSignal.abort(new Error('enough'))

  await expect(brave.search(webQuery('boats'), signal)).rejects.toThrow('enough')
})
