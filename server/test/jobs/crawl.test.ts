import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Pages } from '../../../test/lab/pages/page.ts'
import { chooseLinks } from '../../src/jobs/choose-links.ts'
import { PatternMatcher } from '../../src/map/pattern-matcher.ts'
import { linksTo, sitemapOf } from '../map/fixture.ts'
import { startJobFixture, type JobFixture } from './fixture.ts'

const pages: Pages = {
  '/': linksTo('/docs/', '/blog/one', '/blog/two?sort=1', '/picture.png', 'http://elsewhere.invalid/'),
  '/docs/': linksTo('/docs/a', '/docs/b', '/', '/docs/a#part'),
  '/docs/a': linksTo('/docs/deep/c', '/docs/private/x'),
  '/docs/b': linksTo(),
  '/docs/deep/c': linksTo('/docs/deep/d'),
  '/docs/deep/d': linksTo(),
  '/docs/hidden': linksTo(),
  '/docs/private/x': linksTo(),
  '/blog/one': linksTo('/blog/two'),
  '/blog/two': linksTo(),
  '/sitemap.xml': sitemapOf('/docs/hidden'),
  '/robots.txt': ({ response }) => void response.end('User-agent: *\nDisallow: /docs/private/\n'),
  '/redirects/': linksTo('/redirects/private', '/redirects/a'),
  '/redirects/private': ({ response }) => void response.writeHead(302, { location: '/docs/private/x' }).end(),
  '/redirects/a': linksTo(),
  '/leaving/': linksTo('/leaving/far', '/leaving/secret', '/leaving/back', '/leaving/a'),
  '/leaving/far': ({ response, crossOrigin }) =>
    void response.writeHead(302, { location: `${crossOrigin}/wide/far` }).end(),
  '/leaving/secret': ({ response }) => void response.writeHead(302, { location: '/leaving/hidden' }).end(),
  '/leaving/hidden': linksTo(),
  '/leaving/back': ({ response }) => void response.writeHead(302, { location: '/leaving/b' }).end(),
  '/leaving/a': linksTo(),
  '/leaving/b': linksTo(),
  '/moved': ({ response, crossOrigin }) => void response.writeHead(302, { location: `${crossOrigin}/wide/far` }).end(),
  '/spelled/': linksTo('/spelled/a', '/spelled/a/'),
  '/spelled/a': linksTo(),
  '/held': () => undefined,
  '/trap': linksTo(`/${'a'.repeat(40)}!`),
  '/wide/': ({ response, crossOrigin }) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<a href="/wide/near">near</a><a href="${crossOrigin}/wide/far">far</a>`)
  },
  '/wide/near': linksTo(),
  '/many': ({ response }) => {
    response.setHeader('content-type', 'text/html')
    const links = Array.from({ length: 9000 }, (_, index) => `<a href="${index}">${index}</a>`)
    response.end(`<base href="/${'x'.repeat(1500)}/">${links.join('')}`)
  },
  '/wide/far': linksTo(),
}

// In PostgreSQL: `public-client.test.ts`.
describe('a crawl, in PGlite', () => {
  let fixture: JobFixture
  beforeAll(async () => {
    fixture = await startJobFixture('PGlite', {}, pages)
  })
  afterAll(async () => fixture[Symbol.asyncDispose]())

  const pathsOf = (status: { data: { metadata: { sourceURL: string } }[] }): readonly string[] =>
    status.data.map(({ metadata }) => new URL(metadata.sourceURL).pathname).toSorted()
  const crawl = async (path: string, options: object = {}, version = 'v2') => {
    const url = await fixture.start(`/${version}/crawl`, { url: fixture.site.url(path), ...options })
    return { url, status: await fixture.ended(url) }
  }

  test('that finds one page warns which options excluded its links, or that it has none', async () => {
    const { status } = await crawl('/blog/one', { limit: 12 })
    const alone = await crawl('/blog/two', { limit: 12 })
    const broken = await crawl('/status?code=500', { limit: 12 })
    const shallow = await crawl('/docs/', { limit: 9, maxDepth: 0, ignoreSitemap: true }, 'v1')

    expect(status).toMatchObject({
      completed: 1,
      warning:
        'The crawl found only its start page. These links were not followed: ' +
        '1 link outside the path of the start URL (see `crawlEntireDomain: true`).',
    })
    expect(alone.status['warning']).toContain('which has no links to other pages')
    expect(broken.status['warning']).toContain('which responded with status 500')
    expect(shallow.status['warning']).toContain('(see a larger `maxDepth`)')
  })

  test('follows links and sitemaps under its start URL, scrapes each page once, and honours robots.txt', async () => {
    const { url, status } = await crawl('/docs/')

    expect(pathsOf(status as never)).toEqual([
      '/docs/',
      '/docs/a',
      '/docs/b',
      '/docs/deep/c',
      '/docs/deep/d',
      '/docs/hidden',
    ])
    expect(status).toMatchObject({ status: 'completed', completed: 6, total: 6, creditsUsed: 6 })
    expect(Object.keys(status['data'][0]).toSorted()).toEqual(['markdown', 'metadata'])
    expect((await fixture.lab.api('GET', `${url}/errors`)).body).toEqual({
      errors: [],
      robotsBlocked: [fixture.site.url('/docs/private/x')],
    })
  })

  test.each([
    ['over HTTP', {}],
    ['in a browser', { waitFor: 1 }],
  ])('honours robots.txt after redirects %s', async (_where, scrapeOptions) => {
    const before = fixture.site.requests.all.length
    const { url, status } = await crawl('/redirects/', {
      sitemap: 'skip',
      scrapeOptions: { ...scrapeOptions, maxAge: 0 },
    })
    const requested = fixture.site.requests.all.slice(before).map(({ path }) => path)

    expect(pathsOf(status as never)).toEqual(['/redirects/', '/redirects/a'])
    expect(status).toMatchObject({ completed: 2, creditsUsed: 2 })
    expect((await fixture.lab.api('GET', `${url}/errors`)).body).toEqual({
      errors: [],
      robotsBlocked: [fixture.site.url('/redirects/private')],
    })
    if (!('waitFor' in scrapeOptions)) expect(requested).not.toContain('/docs/private/x')
  })

  test('leaves out pages that redirect out of its scope, except the start page', async () => {
    const { url, status } = await crawl('/leaving/', { sitemap: 'skip', excludePaths: ['^/leaving/hidden'] })
    const moved = await crawl('/moved', { sitemap: 'skip' })

    expect(pathsOf(status as never)).toEqual(['/leaving/', '/leaving/a', '/leaving/back'])
    expect(status).toMatchObject({ completed: 3, creditsUsed: 3 })
    const { body } = await fixture.lab.api('GET', `${url}/errors`)
    expect(
      body['errors'].map((each: { url: string; code: string }) => [new URL(each.url).pathname, each.code]).toSorted(),
    ).toEqual([
      ['/leaving/far', 'SCRAPE_OUT_OF_SCOPE'],
      ['/leaving/secret', 'SCRAPE_OUT_OF_SCOPE'],
    ])
    expect(moved.status).toMatchObject({ completed: 1, creditsUsed: 1 })
  })

  test('loads the first of two spellings of a URL', async () => {
    const { status } = await crawl('/spelled/', { sitemap: 'skip' })

    expect(pathsOf(status as never)).toEqual(['/spelled/', '/spelled/a'])
  })

  test('sends custom headers to its own site only', async () => {
    const scrapeOptions = { headers: { 'X-Token': 'secret' } }
    const { status } = await crawl('/wide/', { allowExternalLinks: true, scrapeOptions })

    const tokenOf = (path: string) =>
      fixture.site.requests.all.findLast((each) => each.path === path)?.headers['x-token']
    expect(pathsOf(status as never)).toEqual(['/wide/', '/wide/far', '/wide/near'])
    expect([tokenOf('/wide/near'), tokenOf('/wide/far')]).toEqual(['secret', undefined])
  })

  test('warns that links of a page were left out', async () => {
    const { status } = await crawl('/many', { limit: 1 })

    expect(status['warning']).toContain(`Not all links of ${fixture.site.url('/many')} were read.`)
  })

  test('starts at URLs from which no site can be mapped, including long ones', async () => {
    const withName = fixture.site.url('/docs/b').replace('://', '://ann:secret@')
    const long = fixture.site.url(`/docs/b?${randomBytes(3500).toString('hex')}`)

    for (const url of [withName, long]) {
      expect(await fixture.ended(await fixture.start('/v2/crawl', { url }))).toMatchObject({ status: 'completed' })
    }
  })

  test.each([
    ['limit', { limit: 2, sitemap: 'skip' }, '/docs/', ['/docs/', '/docs/a']],
    ['maxDiscoveryDepth', { maxDiscoveryDepth: 1, sitemap: 'skip' }, '/docs/', ['/docs/', '/docs/a', '/docs/b']],
    [
      'includePaths',
      { includePaths: ['/deep/', '/a$'], sitemap: 'skip' },
      '/docs/',
      ['/docs/', '/docs/a', '/docs/deep/c', '/docs/deep/d'],
    ],
    ['excludePaths', { excludePaths: ['deep', 'hidden'] }, '/docs/', ['/docs/', '/docs/a', '/docs/b']],
    ['sitemap: only', { sitemap: 'only' }, '/docs/', ['/docs/', '/docs/hidden']],
    [
      'crawlEntireDomain',
      { crawlEntireDomain: true, sitemap: 'skip', excludePaths: ['/docs/.'] },
      '/blog/one',
      ['/blog/one', '/blog/two'],
    ],
    [
      'ignoreQueryParameters',
      { ignoreQueryParameters: true, excludePaths: ['/docs'], sitemap: 'skip' },
      '/',
      ['/', '/blog/one', '/blog/two'],
    ],
    [
      'ignoreRobotsTxt',
      { ignoreRobotsTxt: true, includePaths: ['/a$', 'private'], sitemap: 'skip' },
      '/docs/',
      ['/docs/', '/docs/a', '/docs/private/x'],
    ],
  ])('respects %s', async (_name, options, path, expected) => {
    const { status } = await crawl(path, options)

    expect(pathsOf(status as never)).toEqual(expected)
  })

  test.each([
    ['no attributes', []],
    ['attributes', [{ type: 'attributes', selectors: [{ selector: 'a', attribute: 'href' }] }]],
  ])('with %s has the same document under its scrape id', async (_name, formats) => {
    const { status } = await crawl('/docs/', { limit: 1, scrapeOptions: { formats: ['markdown', ...formats] } })
    const [document] = status['data']

    const { body } = await fixture.lab.api('GET', `/v2/scrape/${document.metadata.scrapeId}`)

    expect(Object.keys(document)).toHaveLength(2 + formats.length)
    expect(body['data']).toEqual(document)
  })

  test('works with API v1', async () => {
    const options = { maxDepth: 1, ignoreSitemap: true, scrapeOptions: { formats: ['rawHtml'] } }
    const { url, status } = await crawl('/docs/', options, 'v1')

    expect(url).toContain('/v1/crawl/')
    expect(pathsOf(status as never)).toEqual(['/docs/', '/docs/a', '/docs/b'])
    expect(status['data'][0]).toHaveProperty('rawHtml')
  })

  test('is listed while it runs and can be cancelled', async () => {
    const { lab, site, start } = fixture
    const scrapeOptions = { headers: { cookie: 'sid=secret' } }
    const url = await start('/v2/crawl', { url: site.url('/held'), sitemap: 'skip', scrapeOptions })
    await vi.waitFor(() => expect(site.requests.all.some(({ path }) => path === '/held')).toBe(true), 10_000)

    const { body } = await lab.api('GET', '/v2/crawl/active')
    expect(body['crawls']).toEqual([
      expect.objectContaining({ id: url.split('/').at(-1), url: site.url('/held'), options: expect.any(Object) }),
    ])
    expect(body['crawls'][0].options).toMatchObject({ sitemap: 'skip', scrapeOptions: { formats: expect.any(Array) } })
    expect(JSON.stringify(body)).not.toContain('sid=secret')
    expect((await lab.api('DELETE', url)).body).toMatchObject({ status: 'cancelled' })
    expect((await lab.api('GET', '/v1/crawl/ongoing')).body['crawls']).toEqual([])
  })

  test('fails if its regular expressions take too long for the links of a page', async () => {
    const { status } = await crawl('/trap', { includePaths: ['^/(a+)+$'], sitemap: 'skip', crawlEntireDomain: true })

    expect(status).toMatchObject({ status: 'failed', error: expect.stringContaining('includePaths') })
  })

  test('previews a prompt only with a language model', async () => {
    const { lab, site } = fixture
    const preview = await lab.api('POST', '/v2/crawl/params-preview', { url: site.url('/'), prompt: 'the docs' })

    expect(preview).toMatchObject({ status: 400, body: { code: 'FORMAT_UNAVAILABLE' } })
  })
})

describe('regular expressions of callers', () => {
  const plan = { url: 'https://a.example/', includePaths: ['^/(a+)+$'], excludePaths: [] as string[] }

  test('that never finish fail their crawl without delaying others', async () => {
    await using matcher = new PatternMatcher()
    let turns = 0
    const timer = setInterval(() => (turns += 1), 1)

    const choosing = chooseLinks([`https://a.example/${'a'.repeat(40)}!`], plan as never, { matcher, teamId: 'slow' })

    await expect(choosing).rejects.toThrow('Invalid includePaths or excludePaths: matching took longer than 500 ms')
    clearInterval(timer)
    expect(turns).toBeGreaterThan(20)
  })

  test('can match the longest URLs of the largest crawl', async () => {
    await using matcher = new PatternMatcher()
    const texts = Array.from({ length: 100_000 }, (_, index) => `/${index}/${'a'.repeat(2000)}`)

    const { matches } = await matcher.match(texts, { include: ['^/12345/'], exclude: [], teamId: 'large' })

    expect(matches.indexOf(true)).toBe(12_345)
  })

  test('can use lookarounds, and work after others that never finished', async () => {
    await using matcher = new PatternMatcher()
    const slow = chooseLinks([`https://a.example/${'a'.repeat(40)}!`], plan as never, { matcher, teamId: 'slow' })
    const good = { ...plan, includePaths: ['^/(?!private)'], excludePaths: ['(b)\\1'] }

    const chosen = chooseLinks(
      ['/a', '/private', '/abba'].map((path) => `https://a.example${path}`),
      { ...good, crawlEntireDomain: true } as never,
      { matcher, teamId: 'quick' },
    )

    await expect(slow).rejects.toThrow('500 ms')
    expect((await chosen).pages.map(({ url }) => url)).toEqual(['https://a.example/a'])
  })
})
