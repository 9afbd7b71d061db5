import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { LinkCollection } from '../../src/map/link-collection.ts'
import { createSite } from '../../src/map/site.ts'
import { parseRobots } from '../../src/map/robots.ts'
import { walkSitemaps } from '../../src/map/walk-sitemaps.ts'

const start = new URL('https://site.test/sitemap.xml')

function sitemap(from: number, length = 50): string {
  return `<urlset>${Array.from({ length }, (_, index) => `<url><loc>https://site.test/${from + index}</loc></url>`).join('')}</urlset>`
}

test.each([
  [
    'a gzip sitemap that is too long once it is unpacked',
    [gzipSync(sitemap(0))],
    'sitemap.xml?0 is longer than 0.001 MB',
  ],
  [
    'sitemaps that are too long together',
    [0, 1, 2].map((each) => sitemap(each * 10).slice(0, 900)),
    'up to 0.002 MB in total',
  ],
  [
    'a sitemap that ends early',
    [sitemap(0).slice(0, 900)],
    'sitemap.xml?0 is incomplete: it breaks off after 21 entries.',
  ],
  ['sitemaps within the limits', [sitemap(0, 18)], undefined],
  ['a gzip sitemap of exactly the limit', [gzipSync(sitemap(0, 18).padEnd(1000))], undefined],
])('a warning names the omitted part: %s', async (_, bodies, words) => {
  const warnings: string[] = []
  const site = createSite(start, { includeSubdomains: false })
  const context = {
    site,
    links: new LinkCollection({ site, ignoreQueryParameters: false, path: undefined, capacity: 1000 }),
    robots: parseRobots('', 'test'),
    robotsOf: async () => parseRobots('', 'test'),
    checkRobots: async () => {},
    open: async (url: URL) => ({
      url,
      status: 200,
      contentType: 'application/xml',
      chunks: (async function* () {
        yield Buffer.from(bodies[Number(url.search.slice(1))] ?? '')
      })(),
      [Symbol.asyncDispose]: async () => {},
    }),
    addWarning: (what: string) => void warnings.push(what),
    signal: new AbortController().signal,
  }
  const bounds = { sitemapBytes: 1000, totalBytes: 2000, sitemaps: 1000, depth: 3, concurrency: 1 }

  await walkSitemaps(
    context,
    bodies.map((_, index) => new URL(`?${index}`, start)),
    { bounds },
  )

  if (words === undefined) expect(warnings).toEqual([])
  else expect(warnings.join(' ')).toContain(words)
})
