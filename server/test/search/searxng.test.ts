import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTimeRange } from '../../../src/contract.ts'
import { toCategory } from '../../src/search/categories.ts'
import type { SearchProvider } from '../../src/search/provider.ts'
import { createSearxngProvider } from '../../src/search/searxng-provider.ts'
import { sendJson, type Page, type Pages } from '../../../test/lab/pages/page.ts'
import { hasSearx, startSearx } from '../../../test/lab/searx.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { noSignal, webQuery } from './fixture.ts'

const perPage = 10
const pages = 4

/** A search engine without operators. Every second result is from another site. */
function results(kind: string): Page {
  return (exchange) => {
    const page = Number(exchange.url.searchParams.get('page'))
    const query = exchange.url.searchParams.get('q') ?? ''
    const list = Array.from({ length: page > pages ? 0 : perPage }, (_, index) => {
      const number = (page - 1) * perPage + index + 1
      const host = number % 2 === 0 ? 'even.example' : 'docs.odd.example'
      return {
        url: `http://${host}/${kind}/${number}${number % 5 === 0 ? '.pdf' : ''}`,
        title: `Result ${number} & more`,
        snippet: `About ${query}`,
      }
    })
    sendJson(exchange, { results: list })
  }
}

const engines: Pages = { '/web': results('web'), '/news': results('news'), '/slow': () => undefined }

describe.skipIf(!hasSearx())('SearXNG', () => {
  const fixture = new AsyncDisposableStack()
  let upstream: Site
  let url: string
  let provider: SearchProvider

  beforeAll(async () => {
    upstream = fixture.use(await startSite(engines))
    url = fixture.use(await startSearx(upstream.url(''))).url
    provider = createSearxngProvider(url)
  })
  afterAll(async () => fixture.disposeAsync())

  const asked = (path: string): readonly string[] =>
    upstream.requests.all
      .filter((request) => request.path.startsWith(path))
      .map((request) => new URL(request.path, 'http://x').searchParams.get('q') ?? '')

  test('returns web and news results', async () => {
    const web = await provider.search(webQuery('boats', { limit: 3 }), noSignal)
    const news = await provider.search(webQuery('boats', { limit: 1, source: 'news' }), noSignal)

    expect(web).toEqual({
      warnings: [],
      results: [1, 2, 3].map((number) => ({
        url: `http://${number % 2 === 0 ? 'even.example' : 'docs.odd.example'}/web/${number}`,
        title: `Result ${number} & more`,
        description: 'About boats',
      })),
    })
    expect(news.results[0]?.url).toBe('http://docs.odd.example/news/1')
  })

  test('reads further pages until there are enough results or no more', async () => {
    const some = await provider.search(webQuery('boats', { limit: 25 }), noSignal)
    const all = await provider.search(webQuery('boats', { limit: 100 }), noSignal)

    expect(some.results).toHaveLength(25)
    expect(all.results).toHaveLength(perPage * pages)
  })

  test.each([
    ['boats site:odd.example', {}, (url: string) => url.includes('odd.example')],
    ['boats -site:odd.example', {}, (url: string) => url.includes('even.example')],
    ['boats inurl:pdf', {}, (url: string) => url.endsWith('.pdf')],
    ['boats', { excludeDomains: ['even.example'] }, (url: string) => url.includes('odd.example')],
    ['boats', { includeDomains: ['even.example', 'b.example'] }, (url: string) => url.includes('even.example')],
    ['boats', { categories: [toCategory({ type: 'pdf' })] }, (url: string) => url.endsWith('.pdf')],
  ])('%s %o: results that its engines fail to filter are omitted and replaced', async (query, changes, fits) => {
    const { results } = await provider.search(webQuery(query, { limit: 7, ...changes }), noSignal)

    expect(results).toHaveLength(7)
    expect(results.filter(({ url }) => !fits(url))).toEqual([])
  })

  test('passes operators to engines that support them', async () => {
    await provider.search(
      webQuery('boats "at night" -day intitle:result', { limit: 1, excludeDomains: ['even.example'] }),
      noSignal,
    )

    expect(asked('/web')).toContain('boats "at night" -day intitle:result -site:even.example')
  })

  test('asks for several sites at once, and for the plain query if no engine supports that', async () => {
    const research = { categories: [toCategory({ type: 'research' })], limit: 1 }

    await provider.search(webQuery('knots', { includeDomains: ['a.example', 'b.example'] }), noSignal)
    await provider.search(webQuery('sails', research), noSignal)

    const queries = asked('/web')
    expect(queries).toContain('knots site:a.example OR site:b.example')
    expect(queries).toContain('knots')
    expect(
      queries.find((query) => query.startsWith('sails site:arxiv.org OR site:nature.com OR '))?.length,
    ).toBeLessThan(500)
  })

  test('retries without a filter that no engine supports, with a warning', async () => {
    const filters = { range: readTimeRange('qdr:w'), language: 'de', limit: 2 }

    const { results, warnings } = await provider.search(webQuery('boats', filters), noSignal)

    expect(results).toHaveLength(2)
    expect(warnings).toEqual([
      expect.stringContaining('No engine of this SearXNG instance supports filtering by time, language'),
    ])
  })

  test.each(['cdr:1,cd_min:01/01/2020,cd_max:12/31/2021', 'qdr:d3', 'qdr:h'])(
    'warns that undated results may be outside the range %s',
    async (tbs) => {
      const { results, warnings } = await provider.search(
        webQuery('boats', { range: readTimeRange(tbs), limit: 2 }),
        noSignal,
      )

      expect(results).toHaveLength(2)
      expect(warnings).toContain(
        'SearXNG cannot filter by this time range. 2 of 2 results have no date and may be outside it.',
      )
    },
  )

  test('names engines that did not respond', async () => {
    const { results, warnings } = await provider.search(webQuery('boats', { source: 'images' }), noSignal)

    expect(results).toEqual([])
    expect(warnings).toEqual([expect.stringContaining('lab slow (timeout)')])
  })

  test('a URL that is not SearXNG, or does not return JSON, fails with the response', async () => {
    const query = webQuery('boats')

    await expect(createSearxngProvider(upstream.url('/nothing')).search(query, noSignal)).rejects.toMatchObject({
      code: 'SEARCH_FAILED',
      message: expect.stringContaining('404'),
    })
    await expect(createSearxngProvider('http://127.0.0.1:2').search(query, noSignal)).rejects.toMatchObject({
      code: 'SEARCH_FAILED',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

test('a value of another type in a result does not fail the search', async () => {
  await using upstream = await startSite({
    '/search': (exchange) =>
      sendJson(exchange, {
        results: [
          { url: 'http://a.example/1', title: 2026, content: 'Boats', publishedDate: 7, resolution: {} },
          { url: 5, title: 'No URL' },
        ],
      }),
  })

  const { results } = await createSearxngProvider(upstream.url('')).search(webQuery('boats', { limit: 2 }), noSignal)

  expect(results).toMatchObject([{ url: 'http://a.example/1', title: '2026', description: 'Boats' }])
})
