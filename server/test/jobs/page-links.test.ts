import { expect, test } from 'vitest'
import type { Document } from 'bowline/contract/document'
import { scrapeRequest } from '../../../src/contract/scrape.ts'
import { jobPlan } from '../../src/jobs/job-plan.ts'
import { linksOf, withLinks } from '../../src/jobs/page-links.ts'

function pageWith(links: readonly string[], base: readonly string[] = []): Document {
  const attributes = [links, [], base].map((values) => ({ selector: 'a[href]', attribute: 'href', values }))
  return { attributes, metadata: { url: 'https://a.example/docs/' } } as unknown as Document
}

test('resolves the links of a page against its base', () => {
  expect(linksOf(pageWith([' b ', 'https://b.example/', 'http://['])).urls).toEqual([
    'https://a.example/docs/b',
    'https://b.example/',
  ])
  expect(linksOf(pageWith(['b'], ['/other/'])).urls).toEqual(['https://a.example/other/b'])
})

test('bounds the memory for the links of a page with a long base', () => {
  const links = Array.from({ length: 100_000 }, (_, index) => `${index}`)

  const long = linksOf(pageWith(links, [`/${'x'.repeat(1950)}/`]))

  expect(long.isCut).toBe(true)
  expect(long.urls.length).toBeGreaterThan(5000)
  expect(long.urls.join('').length).toBeLessThanOrEqual(10_000_000)
  const short = linksOf(pageWith(links))
  expect(short.isCut).toBe(false)
  expect(short.urls).toHaveLength(100_000)
})

test('the stored plan of a crawl has room for its selectors beside those of the caller', () => {
  const selectors = Array.from({ length: 100 }, (_, index) => ({
    selector: `.price${index}`,
    attribute: 'data-amount',
  }))
  const { url: _url, ...request } = scrapeRequest.parse({
    url: 'https://a.example/',
    formats: [{ type: 'attributes', selectors }],
  })
  const submission = {
    request: { ...request, formats: withLinks(request.formats) },
    showsExtract: false,
    hidesLinks: true,
  }

  expect(jobPlan.parse({ submissions: [submission] }).submissions).toEqual([submission])
})
