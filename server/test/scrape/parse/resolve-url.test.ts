import { expect, test } from 'vitest'
import { createUrlResolver, resolveUrl } from '../../../src/scrape/parse/resolve-url.ts'

const urls = [
  '/a',
  '/a',
  ' b?c#d ',
  'https://example.org/é',
  'javascript:run()',
  'java\nscript:run()',
  '',
  '//[',
  undefined,
]

test.each(['https://example.com/path/', ''])('a resolver with the base %j resolves URLs as `resolveUrl`', (base) => {
  const resolve = createUrlResolver(base)

  const expected = urls.map((url) => resolveUrl(url, base))
  const first = urls.map(resolve)

  expect(first).toEqual(expected)
  expect(urls.map(resolve)).toEqual(expected)
  expect(first.map(resolve)).toEqual(expected.map((url) => resolveUrl(url, base)))
})
