import { describe, expect, test } from 'vitest'
import type { Page } from '../../../test/lab/pages/page.ts'
import { linksTo, startMapFixture } from './fixture.ts'

describe('a map of a site without a sitemap', () => {
  test('finds all products of a shop whose lists lead from one to the next', async () => {
    const products = (list: number): string[] => Array.from({ length: 10 }, (_, index) => `/product/${list}-${index}`)
    const lists = Array.from({ length: 9 }, (_, index) => index + 1)
    await using fixture = await startMapFixture({
      '/': linksTo('/about', ...products(0), '/list/1'),
      ...Object.fromEntries(
        lists.map((list) => [`/list/${list}`, linksTo('/', ...products(list), `/list/${Math.min(9, list + 1)}`)]),
      ),
      ...Object.fromEntries([0, ...lists].flatMap(products).map((path) => [path, linksTo('/')])),
    })

    const paths = await fixture.paths('/')

    expect(paths).toHaveLength(1 + 1 + 100 + 9)
  })

  test.each(['/', '/start'])('does not follow redirects to pages that robots.txt disallows, from %s', async (start) => {
    const toPrivate: Page = ({ response }) => void response.writeHead(302, { location: '/private/x' }).end()
    await using fixture = await startMapFixture({
      '/': linksTo('/start', '/about'),
      '/start': toPrivate,
      '/about': linksTo('/'),
      '/private/x': linksTo('/private/y'),
      '/robots.txt': ({ response }) => void response.end('User-agent: *\nDisallow: /private/'),
    })

    const mapped = fixture.map(start)

    if (start === '/') expect((await mapped).links).toHaveLength(3)
    else await expect(mapped).rejects.toMatchObject({ code: 'SCRAPE_ROBOTS_BLOCKED' })
    const requested = fixture.site.requests.all.map(({ path }) => path)
    expect(requested).not.toContain('/private/x')
    expect(requested.filter((path) => path === '/robots.txt')).toHaveLength(1)
  })

  test('warns of links that were not followed', async () => {
    await using fixture = await startMapFixture({
      '/': linksTo(...Array.from({ length: 60 }, (_, index) => `/title?${index}`)),
    })

    const { warning } = await fixture.map('/', { ignoreQueryParameters: false })

    expect(warning).toContain('only some of its links were followed')
    expect(fixture.site.requests.all.filter(({ path }) => path.startsWith('/title'))).toHaveLength(50)
  })

  test.each([
    ['deeper than 20 levels', 22],
    ['of more than 50 pages', 52],
  ])('warns of links that were not followed: a chain of pages %s', async (_what, length) => {
    const chain = Array.from({ length }, (_, index) => [`/${'next/'.repeat(index)}`, linksTo('next/')] as const)
    await using fixture = await startMapFixture(Object.fromEntries(chain))

    const { links, warning } = await fixture.map('/')

    expect(links.length).toBeGreaterThan(20)
    expect(warning).toContain('only some of its links were followed')
  })
})
