import { expect, test } from 'vitest'
import type { Document } from 'bowline/contract/document'
import { linksOf } from '../../src/jobs/page-links.ts'

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
