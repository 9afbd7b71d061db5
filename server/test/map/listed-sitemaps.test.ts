import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { indexOf, linksTo, sitemapOf, startMapFixture, textPage } from './fixture.ts'

test.each([
  ['/sitemap.xml', {}],
  ['/sitemap.xml', { limit: 2 }],
  ['/index.xml', {}],
  ['/packed.xml.gz', {}],
  ['/start', {}],
] as const)('a map lists no sitemaps, from %s with %j', async (path, options) => {
  await using fixture = await startMapFixture({
    '/start': linksTo('/sitemap.xml', '/1', '/2'),
    '/sitemap.xml': sitemapOf('/1', '/2', '/sitemap.xml'),
    '/index.xml': indexOf('/sitemap.xml'),
    '/packed.xml.gz': ({ response, url }) => {
      const urls = ['/1', '/2'].map((page) => `<url><loc>${url.origin}${page}</loc></url>`)
      response.end(gzipSync(`<urlset>${urls.join('')}</urlset>`))
    },
  })

  const paths = await fixture.paths(path, options)
  expect(paths).toEqual([...(path === '/start' ? ['/start'] : []), '/1', '/2'])
})

test('a map lists a start page with the name of a sitemap that is none', async () => {
  await using fixture = await startMapFixture({
    '/notes.txt': textPage('Only a note', 'text/plain'),
    '/sitemap.xml': sitemapOf('/1'),
  })

  expect((await fixture.paths('/notes.txt')).toSorted()).toEqual(['/1', '/notes.txt'])
  expect(await fixture.paths('/sitemap.xml', { sitemap: 'skip' })).toEqual(['/sitemap.xml'])
})
