import { expect, test } from 'vitest'
import { pageScrapeSpec } from '../../src/monitors/page-scrape-spec.ts'

test.each([
  ['https://site.test/a', true],
  ['https://www.site.test/a', true],
  ['https://docs.site.test/a', false],
  ['https://other.test/a', false],
  ['http://site.test/a', false],
])('headers of a crawl target are sent to its own site only: %s', (url, isSent) => {
  const headers = { 'X-Token': 'secret' }
  const { request } = pageScrapeSpec({ type: 'crawl', url: 'https://site.test/', scrapeOptions: { headers } }, url)

  expect(request.headers).toEqual(isSent ? headers : undefined)
})
