import { expect, test } from 'vitest'
import { mapRequest, mapRequestV1 } from '../../../src/contract/map.ts'
import { v1Map } from '../../src/compat/v1-map.ts'

test.each([
  [{}, { sitemap: 'include' }],
  [{ ignoreSitemap: true }, { sitemap: 'skip' }],
  [{ sitemapOnly: true }, { sitemap: 'only' }],
  [{ sitemapOnly: true, ignoreSitemap: true }, { sitemap: 'only' }],
  [
    { search: 'x', limit: 3, includeSubdomains: false },
    { search: 'x', limit: 3, includeSubdomains: false },
  ],
] as const)('the v1 request %j is %j in v2', (old, now) => {
  const url = 'https://a.example/'

  expect(v1Map.request(mapRequestV1.parse({ url, ...old }))).toEqual(mapRequest.parse({ url, ...now }))
})

test('v1 returns only URLs', () => {
  const links = [{ url: 'https://a.example/', title: 'A' }, { url: 'https://a.example/b' }]

  expect(v1Map.response({ success: true, id: 'x', links, warning: 'more' })).toEqual({
    success: true,
    links: ['https://a.example/', 'https://a.example/b'],
  })
})
