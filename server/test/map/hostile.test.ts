import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { startRawServer } from '../egress/raw-client.ts'
import type { Exchange } from '../../../test/lab/pages/page.ts'
import { indexOf, linksTo, sitemapOf, startMapFixture, textPage } from './fixture.ts'

/** Writes until the connection is closed. */
async function writeForever(response: ServerResponse, text: string): Promise<void> {
  const closed = once(response, 'close')
  while (!response.closed) {
    if (response.write(text)) await new Promise(setImmediate)
    else await Promise.race([once(response, 'drain'), closed])
  }
}

describe('a map succeeds despite', () => {
  test('a sitemap that unpacks to gigabytes', async () => {
    const bomb = gzipSync(gzipSync(Buffer.concat([Buffer.from('<urlset><url><loc>'), Buffer.alloc(300e6, 'x')])))
    await using fixture = await startMapFixture({
      '/': linksTo('/a'),
      '/robots.txt': textPage('Sitemap: /bomb.xml\nSitemap: /good.xml', 'text/plain'),
      '/bomb.xml': ({ response }) => {
        response.setHeader('content-encoding', 'gzip')
        response.end(bomb)
      },
      '/good.xml': sitemapOf('/b'),
    })
    const before = process.memoryUsage().rss

    expect(await fixture.paths('/')).toEqual(['/', '/a', '/b'])

    expect(process.memoryUsage().rss - before).toBeLessThan(200e6)
  })

  test('a sitemap that never ends', async () => {
    await using fixture = await startMapFixture({
      '/robots.txt': textPage('Sitemap: /endless.xml\nSitemap: /good.xml', 'text/plain'),
      '/endless.xml': async ({ response }) => writeForever(response, `<x>${'y'.repeat(60_000)}</x>`),
      '/good.xml': sitemapOf('/b'),
    })

    const { links, warning } = await fixture.map('/', { sitemap: 'only' })

    expect(links.map(({ url }) => url)).toEqual([fixture.site.url('/b')])
    expect(warning).toBe(`${fixture.site.url('/endless.xml')} is longer than 64 MB: the rest was omitted.`)
  })

  test('a robots.txt and a start page that never end', async () => {
    await using fixture = await startMapFixture({
      '/robots.txt': async ({ response }) => writeForever(response, `# ${'x'.repeat(60_000)}\n`),
      '/': async ({ response }) => {
        response.setHeader('content-type', 'text/html')
        await writeForever(response, `<a href="/a">a</a>${'<div>'.repeat(5000)}`)
      },
      '/a': linksTo(),
    })

    expect(await fixture.paths('/', { sitemap: 'skip' })).toEqual(['/', '/a'])
  })

  test('sitemaps that name each other, themselves and more without end', async () => {
    let asked = 0
    const more = (exchange: Exchange): void => {
      asked += 1
      void indexOf('/sitemap.xml', '/more.xml', `/more.xml?${asked}`, '/good.xml')(exchange)
    }
    await using fixture = await startMapFixture({
      '/sitemap.xml': more,
      '/more.xml': more,
      '/good.xml': sitemapOf('/b'),
    })

    expect(await fixture.paths('/', { sitemap: 'only' })).toEqual(['/b'])
    expect(asked).toBeLessThan(20)
  })

  test('an index that points to other hosts, which are not requested', async () => {
    await using victim = await startRawServer()
    await using fixture = await startMapFixture({
      '/sitemap.xml': textPage(
        `<sitemapindex><sitemap><loc>http://127.0.0.1:${victim.port}/x.xml</loc></sitemap>
         <sitemap><loc>file:///etc/passwd</loc></sitemap><sitemap><loc>/good.xml</loc></sitemap></sitemapindex>`,
      ),
      '/good.xml': sitemapOf('/b'),
    })

    expect(await fixture.paths('/', { sitemap: 'only' })).toEqual(['/b'])
    expect(victim.connections()).toBe(0)
  })

  test('sitemaps and pages at private addresses, redirects to them included', async () => {
    await using victim = await startRawServer()
    const inside = `http://127.0.0.1:${victim.port}/`
    await using fixture = await startMapFixture({
      '/robots.txt': textPage(`Sitemap: ${inside}\nSitemap: /astray.xml\nSitemap: /good.xml`, 'text/plain'),
      '/astray.xml': ({ response }) => {
        response.writeHead(302, { location: inside }).end()
      },
      '/good.xml': sitemapOf('/b'),
    })

    expect(await fixture.paths('/', { sitemap: 'only' })).toEqual(['/b'])
    expect(victim.connections()).toBe(0)
  })

  test('hosts that `allowedDomains` does not have: links, subdomains, sitemaps and redirects', async () => {
    await using fixture = await startMapFixture({
      '/robots.txt': ({ response, url }) =>
        void response.end(`Sitemap: http://other.test:${url.port}/other.xml\nSitemap: /astray.xml\nSitemap: /good.xml`),
      '/astray.xml': ({ response, url }) =>
        void response.writeHead(302, { location: `http://other.test:${url.port}/astray.xml` }).end(),
      '/good.xml': ({ response, url }) =>
        void response.end(`/b\n/c\nhttp://sub.site.test:${url.port}/d`.replaceAll(/^\//gm, `${url.origin}/`)),
    })
    const start = fixture.named('site.test', '/')

    const paths = await fixture.paths(start, { sitemap: 'only', allowedDomains: ['site.test'] })
    const refused = fixture.map(fixture.named('other.test', '/'), { allowedDomains: ['site.test'] })

    expect(paths).toEqual(['/b', '/c'])
    await expect(refused).rejects.toMatchObject({ code: 'EGRESS_REFUSED' })
    const hosts = fixture.site.requests.all.map(({ headers }) => headers.host?.split(':')[0])
    expect(new Set(hosts)).toEqual(new Set(['site.test']))
  })

  test('a truncated response, and one that is gzip only in its first bytes', async () => {
    await using fixture = await startMapFixture({
      '/robots.txt': textPage('Sitemap: /cut.xml\nSitemap: /false.xml.gz\nSitemap: /good.xml', 'text/plain'),
      '/cut.xml': ({ response, url }) => {
        response.setHeader('content-length', 10_000)
        response.write(`<urlset><url><loc>${url.origin}/a</loc></url>`, () => response.destroy())
      },
      '/false.xml.gz': textPage(Buffer.from([0x1f, 0x8b, 1, 2, 3, 4, 5, 6])),
      '/good.xml': sitemapOf('/b'),
    })

    expect((await fixture.paths('/', { sitemap: 'only' })).toSorted()).toEqual(['/a', '/b'])
  })
})

describe('a map fails', () => {
  test('when the start page redirects to a private address', async () => {
    await using victim = await startRawServer()
    await using fixture = await startMapFixture({
      '/': ({ response }) => {
        response.writeHead(302, { location: `http://127.0.0.1:${victim.port}/` }).end()
      },
    })

    await expect(fixture.map('/')).rejects.toMatchObject({ code: 'EGRESS_REFUSED' })
    expect(victim.connections()).toBe(0)
  })

  test('when the start page redirects in a loop', async () => {
    await using fixture = await startMapFixture({
      '/': ({ response }) => {
        response.writeHead(302, { location: '/' }).end()
      },
    })

    await expect(fixture.map('/')).rejects.toMatchObject({
      code: 'EGRESS_FAILED',
      message: expect.stringContaining('8 times'),
    })
  })

  test('when browsers block the port, with the reason', async () => {
    await using fixture = await startMapFixture({})

    await expect(fixture.map('http://127.0.0.1:6666/')).rejects.toMatchObject({
      code: 'EGRESS_FAILED',
      message: 'http://127.0.0.1:6666 could not be fetched: browsers block port 6666',
    })
  })

  test('at its timeout, and closes its connections', async () => {
    const hung = Promise.withResolvers<void>()
    await using fixture = await startMapFixture({
      '/': ({ response }) => void response.on('close', hung.resolve),
    })

    await expect(fixture.map('/', { timeout: 200 })).rejects.toMatchObject({ code: 'MAP_TIMEOUT', status: 408 })
    await hung.promise
  })

  test('at its timeout, with the pages found before', async () => {
    await using fixture = await startMapFixture({
      '/': linksTo('/fast', '/hanging'),
      '/fast': linksTo('/deep'),
      '/hanging': () => {},
    })

    const { links, warning } = await fixture.map('/', { timeout: 1000 })

    expect(links.map(({ url }) => new URL(url).pathname)).toEqual(['/', '/fast', '/hanging', '/deep'])
    expect(warning).toBe('The map stopped after 1 s, so there may be more pages.')
  })

  test('when its caller disconnects', async () => {
    const leaving = new AbortController()
    await using fixture = await startMapFixture({ '/': () => leaving.abort(new Error('gone')) })

    await expect(fixture.map('/', {}, leaving.signal)).rejects.toThrow('gone')
  })
})
