import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { indexOf, linksTo, sitemapOf, startMapFixture, textPage } from './fixture.ts'

describe('a map contains', () => {
  test('the start page, its links, and the pages of the sitemap, each once', async () => {
    await using fixture = await startMapFixture({
      '/': linksTo('/a', '/b/', '/a#part', 'mailto:x@y.example', 'https://elsewhere.example/'),
      '/sitemap.xml': sitemapOf('/b', '/c'),
    })

    expect(await fixture.paths('/')).toEqual(['/', '/a', '/b/', '/c'])
  })

  test('titles and descriptions where they are known', async () => {
    await using fixture = await startMapFixture({
      '/': textPage('<title>Home</title><meta name="description" content="Of it all">', 'text/html'),
    })

    expect((await fixture.map('/')).links).toEqual([
      { url: fixture.site.url('/'), title: 'Home', description: 'Of it all' },
    ])
  })

  test('titles decoded with the charset that the page declares', async () => {
    const title = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2])
    await using fixture = await startMapFixture({
      '/': textPage(Buffer.concat([Buffer.from('<meta charset="windows-1251"><title>'), title]), 'text/html'),
    })

    expect((await fixture.map('/')).links).toMatchObject([{ title: 'Привет' }])
  })

  test('titles of pages without a declared charset, decoded by detection', async () => {
    const title = Buffer.from([
      0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x20, 0xe2, 0xf1, 0xe5, 0xec, 0x20, 0xeb, 0xfe, 0xe4, 0xff, 0xec,
    ])
    await using fixture = await startMapFixture({
      '/': textPage(Buffer.concat([Buffer.from('<title>'), title, Buffer.from('</title>')]), 'text/html'),
    })

    expect((await fixture.map('/')).links).toMatchObject([{ title: 'Привет всем людям' }])
  })

  test('the pages of sitemaps in robots.txt instead of the default ones', async () => {
    await using fixture = await startMapFixture({
      '/robots.txt': textPage('Sitemap: /one.xml\nSitemap: /two.txt', 'text/plain'),
      '/one.xml': sitemapOf('/1'),
      '/two.txt': ({ response, url }) => response.end(`${url.origin}/2\n`) as never,
      '/sitemap.xml': sitemapOf('/3'),
    })

    expect((await fixture.paths('/', { sitemap: 'only' })).toSorted()).toEqual(['/1', '/2'])
  })

  test('the pages of all sitemaps of an index, including compressed ones', async () => {
    await using fixture = await startMapFixture({
      '/sitemap.xml': indexOf('/deep.xml', '/packed.xml.gz'),
      '/deep.xml': indexOf('/leaf.xml'),
      '/leaf.xml': sitemapOf('/1'),
      '/packed.xml.gz': ({ response, url }) => {
        response.end(gzipSync(`<urlset><url><loc>${url.origin}/2</loc></url></urlset>`))
      },
    })

    expect((await fixture.paths('/', { sitemap: 'only' })).toSorted()).toEqual(['/1', '/2'])
  })

  test('the items of a feed if there is no sitemap', async () => {
    await using fixture = await startMapFixture({
      '/': textPage('<link rel="alternate" type="application/rss+xml" href="/feed">', 'text/html'),
      '/feed': textPage('<rss><channel><item><title>One</title><link>/one</link></item></channel></rss>'),
    })

    expect((await fixture.map('/')).links).toContainEqual({ url: fixture.site.url('/one'), title: 'One' })
  })

  test('linked pages if there is no sitemap, as far as robots.txt allows', async () => {
    await using fixture = await startMapFixture({
      '/robots.txt': textPage('User-agent: *\nDisallow: /private', 'text/plain'),
      '/': linksTo('/a', '/private'),
      '/a': linksTo('/b'),
      '/b': linksTo('/c'),
      '/private': linksTo('/secret'),
    })

    expect(await fixture.paths('/')).toEqual(['/', '/a', '/private', '/b', '/c'])
    expect(fixture.site.requests.all.map(({ path }) => path)).not.toContain('/private')
  })

  test('no pages of sitemaps if they are skipped', async () => {
    await using fixture = await startMapFixture({
      '/': linksTo('/a'),
      '/a': linksTo(),
      '/sitemap.xml': sitemapOf('/b'),
    })

    expect(await fixture.paths('/', { sitemap: 'skip' })).toEqual(['/', '/a'])
    expect(fixture.site.requests.all.map(({ path }) => path)).not.toContain('/sitemap.xml')
  })

  test('at most as many links as the limit', async () => {
    await using fixture = await startMapFixture({ '/': linksTo('/a'), '/sitemap.xml': sitemapOf('/1', '/2', '/3') })

    expect(await fixture.paths('/', { limit: 3 })).toEqual(['/', '/a', '/1'])
  })

  test('the pages under the path, or if there are none, the whole site with a warning', async () => {
    await using fixture = await startMapFixture({
      '/docs': linksTo('/docs/a', '/blog'),
      '/lonely': linksTo('/blog'),
      '/sitemap.xml': sitemapOf('/docs/b', '/docsearch'),
    })

    expect(await fixture.paths('/docs')).toEqual(['/docs', '/docs/a', '/docs/b'])
    expect(await fixture.paths('/docs', { filterByPath: false })).toContain('/blog')
    const lonely = await fixture.map('/lonely')
    expect(lonely.links.map(({ url }) => url)).toContain(fixture.site.url('/blog'))
    expect(lonely.warning).toContain('/lonely')
  })

  test('URLs that differ only in their query if requested', async () => {
    await using fixture = await startMapFixture({ '/sitemap.xml': sitemapOf('/p?id=1', '/p?id=2&utm_source=x') })

    expect(await fixture.paths('/', { sitemap: 'only' })).toEqual(['/p'])
    expect(await fixture.paths('/', { sitemap: 'only', ignoreQueryParameters: false })).toEqual(['/p?id=1', '/p?id=2'])
  })

  test('subdomains unless excluded, and never other sites', async () => {
    const page = linksTo('/a')
    await using fixture = await startMapFixture({
      '/': page,
      '/sitemap.xml': ({ response, url }) => {
        const at = (host: string): string => `<url><loc>http://${host}:${url.port}/x</loc></url>`
        response.end(`<urlset>${at('shop.site.test')}${at('www.site.test')}${at('evilsite.test')}</urlset>`)
      },
    })
    const start = fixture.named('site.test', '/')

    expect(await fixture.paths(start)).toEqual([
      '/',
      '/a',
      fixture.named('shop.site.test', '/x'),
      fixture.named('www.site.test', '/x'),
    ])
    expect(await fixture.paths(start, { includeSubdomains: false })).toEqual([
      '/',
      '/a',
      fixture.named('www.site.test', '/x'),
    ])
  })

  test('the sitemaps of the subdomains it finds', async () => {
    await using fixture = await startMapFixture({
      '/': ({ response, url }) => {
        if (url.hostname === 'site.test') response.setHeader('content-type', 'text/html')
        response.end(`<a href="http://blog.site.test:${url.port}/post">Blog</a>`)
      },
      '/robots.txt': ({ response, url }) => {
        response.end(url.hostname === 'blog.site.test' ? 'Sitemap: /posts.xml' : '')
      },
      '/sitemap.xml': (exchange) => {
        if (exchange.url.hostname === 'site.test') void sitemapOf('/shop')(exchange)
        else exchange.response.writeHead(404).end()
      },
      '/posts.xml': sitemapOf('/older-post'),
    })
    const start = fixture.named('site.test', '/')
    const post = fixture.named('blog.site.test', '/post')

    expect(await fixture.paths(start)).toEqual(['/', post, '/shop', fixture.named('blog.site.test', '/older-post')])
    expect(await fixture.paths(start, { sitemap: 'skip' })).toEqual(['/', post])
  })

  test('the host that the start page redirects to', async () => {
    await using fixture = await startMapFixture({
      '/': (exchange) => {
        const location = `http://new.test:${exchange.url.port}/`
        if (exchange.url.hostname === 'new.test') void linksTo('/a')(exchange)
        else exchange.response.writeHead(301, { location }).end()
      },
      '/a': linksTo(),
    })

    expect(await fixture.paths(fixture.named('old.test', '/'), { sitemap: 'skip' })).toEqual([
      fixture.named('new.test', '/'),
      fixture.named('new.test', '/a'),
    ])
  })
})

test('with a search, relevant pages come first, regardless of where they were found', async () => {
  const paths = Array.from({ length: 500 }, (_, index) => `/page-${index}`)
  await using fixture = await startMapFixture({
    '/': linksTo('/a'),
    '/sitemap.xml': sitemapOf(...paths, '/price-list'),
  })

  expect(await fixture.paths('/', { search: 'list of prices', limit: 2 })).toEqual(['/price-list', expect.any(String)])
})

test('the site gets the language and custom headers, other hosts only the language', async () => {
  await using fixture = await startMapFixture({
    '/robots.txt': (exchange) => {
      exchange.response.end(`Sitemap: http://cdn.test:${exchange.url.port}/map.xml`)
    },
    '/map.xml': sitemapOf('/'),
  })

  await fixture.map(fixture.named('site.test', '/'), { location: { country: 'ch' }, headers: { 'X-Token': 'secret' } })

  const headersOf = (path: string) => fixture.site.requests.all.find((request) => request.path === path)?.headers
  expect(headersOf('/')).toMatchObject({ 'accept-language': 'de-CH,de;q=0.9,en;q=0.8', 'x-token': 'secret' })
  expect(headersOf('/map.xml')).toMatchObject({ 'accept-language': 'de-CH,de;q=0.9,en;q=0.8' })
  expect(headersOf('/map.xml')).not.toHaveProperty('x-token')
})

test('a site that the start URL redirects to gets none of the caller’s headers', async () => {
  await using fixture = await startMapFixture({
    '/moved': ({ response, url }) => {
      response.writeHead(302, { location: `http://other.test:${url.port}/home` }).end()
    },
    '/home': linksTo('/next'),
    '/next': linksTo(),
  })

  await fixture.map(fixture.named('site.test', '/moved'), { headers: { 'X-Token': 'secret' } })

  const askedWith = fixture.site.requests.all.map(({ headers }) => [headers.host?.split(':')[0], headers['x-token']])
  expect(askedWith).toContainEqual(['site.test', 'secret'])
  expect(askedWith).toContainEqual(['other.test', undefined])
  expect(askedWith).not.toContainEqual(['other.test', 'secret'])
})

describe('a warning states', () => {
  test.each([
    ['that there is no sitemap to rely on', '/', { sitemap: 'only' }, 'No sitemap'],
    ['that only one page was found', '/lonely', {}, 'Only 1 page'],
    ['that the start page has no links', '/', { sitemap: 'skip' }, 'Only the start page was found.'],
    ['why no page was found', '/absent', {}, '/absent responded with status 404'],
  ] as const)('%s', async (_what, path, options, words) => {
    await using fixture = await startMapFixture({ '/': linksTo('mailto:x@y.example'), '/lonely': linksTo() })

    expect((await fixture.map(path, options)).warning).toContain(words)
  })

  test('which sitemaps could not be read', async () => {
    await using fixture = await startMapFixture({
      '/sitemap.xml': indexOf('/gone.xml', '/lost.xml'),
      '/robots.txt': textPage('Sitemap: /missing.xml', 'text/plain'),
    })
    const url = (path: string): string => fixture.site.url(path)

    const { links, warning } = await fixture.map('/', { sitemap: 'only' })

    expect(links).toEqual([])
    expect(warning).toBe(
      `${url('/missing.xml')} could not be read. ${url('/gone.xml')} and 1 other sitemap could not be read.`,
    )
  })

  test('that a sitemap breaks off', async () => {
    const cut = '<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url><url><loc>/c'
    await using fixture = await startMapFixture({ '/sitemap.xml': textPage(cut) })

    const { links, warning } = await fixture.map('/', { sitemap: 'only' })

    expect(links.map(({ url }) => url)).toEqual([fixture.site.url('/a'), fixture.site.url('/b')])
    expect(warning).toBe(`${fixture.site.url('/sitemap.xml')} is incomplete: it breaks off after 2 entries.`)
  })

  test.each([
    [
      'of a long page',
      { '/': textPage(`<a href="/a">a</a>${' '.repeat(5_000_001)}`, 'text/html') },
      'is longer than 5 MB',
    ],
    ['of a long robots.txt', { '/robots.txt': textPage('#'.repeat(512_001), 'text/plain') }, 'is longer than 0.512 MB'],
    [
      'of many sitemaps',
      { '/sitemap.xml': indexOf(...Array.from({ length: 1001 }, (_, index) => `/absent/${index}.xml`)) },
      'up to 1000 of them',
    ],
    [
      'of many links',
      { '/': linksTo(...Array.from({ length: 50_001 }, (_, index) => `/#${index}`)) },
      'more than 50,000 links',
    ],
    [
      'of many sitemaps in robots.txt',
      { '/robots.txt': textPage('Sitemap: /s.xml\n'.repeat(101), 'text/plain') },
      'more than 100 sitemaps',
    ],
    [
      'of many rules in robots.txt',
      { '/robots.txt': textPage(`User-agent: *\n${'Disallow: /a\n'.repeat(5001)}`, 'text/plain') },
      'more than 5000 rules',
    ],
    [
      'of long rules in robots.txt',
      { '/robots.txt': textPage(`User-agent: *\nDisallow: /${'a'.repeat(2048)}`, 'text/plain') },
      'rules longer than 2048 characters',
    ],
    [
      'of deep sitemaps',
      Object.fromEntries(
        Array.from({ length: 5 }, (_, depth) => [
          depth === 0 ? '/sitemap.xml' : `/${depth}.xml`,
          indexOf(`/${depth + 1}.xml`),
        ]),
      ),
      'up to 3 levels deep',
    ],
  ])('about omitted data: %s', async (_what, pages, words) => {
    await using fixture = await startMapFixture(pages)

    expect((await fixture.map('/')).warning).toContain(words)
  })

  test('that the sitemaps of only some subdomains were read', async () => {
    const hosts = Array.from({ length: 11 }, (_, index) => `//s${index}.site.test`)
    await using fixture = await startMapFixture({
      '/': ({ response, url }) =>
        void response
          .setHeader('content-type', 'text/html')
          .end(hosts.map((host) => `<a href="${host}:${new URL(url).port}/">there</a>`).join('')),
    })

    const { warning } = await fixture.map(fixture.named('site.test', '/'), { includeSubdomains: true })

    expect(warning).toContain('The sitemaps of 10 of 11 subdomains were read.')
  })
})
