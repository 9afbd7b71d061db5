import { expect, test } from 'vitest'
import { linksTo, sitemapOf, startMapFixture } from './fixture.ts'

test('a warning says that the pages end at the default limit', async () => {
  const paths = Array.from({ length: 5001 }, (_, index) => `/${index}`)
  await using fixture = await startMapFixture({ '/': linksTo(), '/sitemap.xml': sitemapOf(...paths) })
  const [all, some] = [await fixture.map('/'), await fixture.map('/', { limit: 10 })]

  expect(all.links).toHaveLength(5000)
  expect(all.warning).toBe(
    'The map has 5000 pages, which is the default limit, so there may be more. Set `limit` to at most 100000.',
  )
  expect(some.warning).toBeUndefined()
})

test('a warning says both that no page lies under the path and that the other pages end at the default limit', async () => {
  const paths = Array.from({ length: 5001 }, (_, index) => `/${index}`)
  await using fixture = await startMapFixture({ '/lonely': linksTo(...paths) })

  const { links, warning } = await fixture.map('/lonely', { sitemap: 'skip' })

  expect(links).toHaveLength(5000)
  expect(warning).toBe(
    `No pages were found under /lonely, so other pages of ${new URL(fixture.site.url('/')).origin} are listed. The map has 5000 pages, which is the default limit, so there may be more. Set \`limit\` to at most 100000.`,
  )
})

test('a warning says both that no page lies under the path and that only some links were followed', async () => {
  const paths = Array.from({ length: 500 }, (_, index) => `/${index}`)
  await using fixture = await startMapFixture({ '/lonely': linksTo(...paths) })

  const { links, warning } = await fixture.map('/lonely')

  expect(links).toHaveLength(501)
  expect(warning).toMatch(
    /^No pages were found under \/lonely, .* are listed\. .* only some of its links were followed/,
  )
})
