import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline, seeds, type SeedOptions } from '../../src/index.ts'
import { startLab } from '../lab/lab.ts'
import { startSite, type Site } from '../lab/site.ts'

const fixture = new AsyncDisposableStack()
let site: Site
let bowline: Bowline

beforeAll(async () => {
  const lab = fixture.use(await startLab())
  site = fixture.use(
    await startSite({
      '/sitemap.xml': ({ response }) => {
        const paths = ['/', '/docs/one?utm_source=x', '/docs/two', '/docs/two#part', '/blog/three']
        const entries = paths.map((path) => `<url><loc>${site.url(path)}</loc></url>`).join('')
        response.setHeader('content-type', 'application/xml')
        response.end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${entries}</urlset>`)
      },
    }),
  )
  bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey, reaper: false })
})

afterAll(() => fixture.disposeAsync())

async function paths(options: SeedOptions): Promise<readonly string[]> {
  return (await Array.fromAsync(seeds(bowline, options))).map((url) => url.replace(site.url(''), ''))
}

test('URLs of a list and of a map are deduplicated and canonical', async () => {
  const urls = [site.url('/docs/two/?utm_medium=mail#top'), site.url('/own?page=2'), 'mailto:a@b.example', 'nonsense']

  const found = await paths({ urls, map: { url: site.url('/'), sitemap: 'only' } })

  expect(found).toEqual(['/docs/two/', '/own?page=2', '/', '/docs/one', '/blog/three'])
})

test.each<[string, Pick<SeedOptions, 'include' | 'exclude' | 'limit'>, readonly string[]]>([
  ['a path pattern', { include: '/docs/*' }, ['/docs/one', '/docs/two']],
  ['a regular expression', { include: [/three$/, /one$/g] }, ['/docs/one', '/blog/three']],
  ['an excluded pattern', { include: '/*/*', exclude: ['/blog/*', '*://*/docs/two'] }, ['/docs/one']],
  ['a limit', { include: '/docs/*', limit: 1 }, ['/docs/one']],
  ['a limit above the number of URLs', { limit: 1_000_000 }, ['/', '/docs/one', '/docs/two', '/blog/three']],
])('%s filters the URLs', async (_, options, expected) => {
  expect(await paths({ map: { url: site.url('/'), sitemap: 'only' }, ...options })).toEqual(expected)
})

test('search results are seeds, and can feed a pool', async () => {
  await bowline.scrape(site.url('/title?text=Moorhen'))

  const found = seeds(bowline, { search: { query: 'moorhen', limit: 5 } })
  const run = bowline.pool({ size: 1 }).run(found, (url) => URL.parse(url)?.searchParams.get('text'))

  expect((await Array.fromAsync(run)).map(({ result }) => result)).toEqual(['Moorhen'])
})

test('a failed source ends the iteration, or goes to onError and is skipped', async () => {
  const closed = 'http://127.0.0.1:9/'
  const failures: unknown[] = []

  await expect(paths({ map: closed })).rejects.toMatchObject({ code: 'EGRESS_FAILED' })
  const found = await paths({
    map: [closed, { url: site.url('/'), sitemap: 'only' }],
    limit: 1,
    onError: (_, source) => failures.push(source),
  })

  expect(found).toEqual(['/'])
  expect(failures).toEqual([{ map: closed }])
})

test('an estimate adds up discovery and work without sending a request', () => {
  const before = site.requests.all.length

  const estimate = seeds(bowline, {
    urls: ['http://a.example', 'http://b.example'],
    search: ['one', { query: 'two', limit: 25 }],
    map: { url: site.url('/'), limit: 100 },
  }).estimate({ creditsPerUrl: 2 })

  expect(estimate).toEqual({ discovery: 2 + 6 + 1, urls: 2 + 10 + 25 + 100, work: 274, total: 283 })
  expect(site.requests.all).toHaveLength(before)
})

test.each<[SeedOptions, string]>([
  [{}, '`seeds()` needs at least one source'],
  [{ urls: 'http://a.example' }, '`urls` must be an array, got a string'],
  [{ urls: [], include: 'docs' }, 'Invalid URL pattern "docs"'],
  [{ urls: [], limit: Number.NaN }, '`limit` must be an integer of at least 0, got NaN'],
])('%o is rejected', (options, message) => {
  expect(() => seeds(bowline, options)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', message }))
})
