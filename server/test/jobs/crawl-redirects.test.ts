import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Page, Pages } from '../../../test/lab/pages/page.ts'
import { linksTo, sitemapOf } from '../map/fixture.ts'
import { startJobFixture, type JobFixture } from './fixture.ts'

const redirectTo =
  (path: string): Page =>
  ({ response }) =>
    void response.writeHead(302, { location: path }).end()

const pages: Pages = {
  '/twice/': linksTo('/twice/old', '/twice/older', '/twice/known', '/twice/start', '/twice/a'),
  '/twice/old': redirectTo('/twice/new'),
  '/twice/older': redirectTo('/twice/new'),
  '/twice/new': linksTo('/twice/new', '/twice/b'),
  '/twice/known': redirectTo('/twice/a'),
  '/twice/start': redirectTo('/twice/'),
  '/twice/a': linksTo(),
  '/twice/b': linksTo('/twice/new/'),
  '/home': redirectTo('/en/'),
  '/en/': linksTo('/en/a'),
  '/en/a': linksTo('/home'),
  '/sitemap.xml': sitemapOf('/home', '/en/', '/en/a'),
  '/alone/': linksTo('/alone/back'),
  '/alone/back': redirectTo('/alone/'),
  '/robots.txt': ({ request, response }) =>
    void response.end(`User-agent: *\nDisallow: ${request.headers.host?.startsWith('127.') ? '' : '/abroad/closed'}`),
  '/abroad/': linksTo('/abroad/a', '/abroad/b'),
  '/abroad/a': ({ response, crossOrigin }) =>
    void response.writeHead(302, { location: `${crossOrigin}/abroad/closed` }).end(),
  '/abroad/b': ({ response, crossOrigin }) =>
    void response.writeHead(302, { location: `${crossOrigin}/abroad/open` }).end(),
  '/abroad/closed': linksTo(),
  '/abroad/open': linksTo(),
}

let fixture: JobFixture
beforeAll(async () => {
  fixture = await startJobFixture('PGlite', {}, pages)
})
afterAll(async () => fixture[Symbol.asyncDispose]())

const crawl = async (path: string, options: object = {}) => {
  const url = await fixture.start('/v2/crawl', { url: fixture.site.url(path), sitemap: 'skip', ...options })
  const status = await fixture.ended(url)
  const finalPaths = status['data'].map(({ metadata }: { metadata: { url: string } }) => new URL(metadata.url).pathname)
  const { body: errors } = await fixture.lab.api('GET', `${url}/errors`)
  return { url, status, finalPaths: finalPaths.toSorted(), errors }
}

test.each([
  ['over HTTP', {}],
  ['in a browser', { waitFor: 1 }],
  ['one after another', { maxConcurrency: 1 }],
])(
  'a page that several redirects lead to is scraped and billed once %s',
  async (_how, { waitFor, ...options }: object & { waitFor?: number }) => {
    const { status, finalPaths, errors } = await crawl('/twice/', { scrapeOptions: { maxAge: 0, waitFor }, ...options })

    expect(finalPaths).toEqual(['/twice/', '/twice/a', '/twice/b', '/twice/new'])
    expect(status).toMatchObject({ completed: 4, total: 4, failed: 0, creditsUsed: 4 })
    expect(status).not.toHaveProperty('warning')
    expect(errors).toEqual({ errors: [], robotsBlocked: [] })
  },
)

test('a start page that redirects to a page of the sitemap replaces it', async () => {
  const { status, finalPaths } = await crawl('/home', { sitemap: 'include', crawlEntireDomain: true })

  expect(finalPaths).toEqual(['/en/', '/en/a'])
  expect(status).toMatchObject({ completed: 2, total: 2, failed: 0, creditsUsed: 2 })
  expect(status['data'].map(({ metadata }: { metadata: { sourceURL: string } }) => metadata.sourceURL)).toContain(
    fixture.site.url('/home'),
  )
})

test('a crawl whose links lead back to its start page does not say that there are none', async () => {
  const { status } = await crawl('/alone/')

  expect(status).toMatchObject({ completed: 1, total: 1, failed: 0, creditsUsed: 1 })
  expect(status).not.toHaveProperty('warning')
})

test('the robots.txt of the origin that a page redirects to applies, unless it is ignored', async () => {
  const { finalPaths, errors } = await crawl('/abroad/', { allowExternalLinks: true })
  const ignoring = await crawl('/abroad/', { allowExternalLinks: true, ignoreRobotsTxt: true })

  expect(finalPaths).toEqual(['/abroad/', '/abroad/open'])
  expect(errors).toEqual({ errors: [], robotsBlocked: [fixture.site.url('/abroad/a')] })
  expect(ignoring.finalPaths).toEqual(['/abroad/', '/abroad/closed', '/abroad/open'])
})
