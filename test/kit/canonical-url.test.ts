import { describe, expect, test } from 'vitest'
import { canonicalUrl, pageKeyOf } from '../../src/kit/canonical-url.ts'

function canonical(text: string, ignoreQueryParameters = false): string | undefined {
  return canonicalUrl(text, { base: new URL('https://a.example/dir/page'), ignoreQueryParameters })?.href
}

describe('a URL is canonicalized', () => {
  test.each([
    ['without its fragment', 'https://a.example/x#part', 'https://a.example/x'],
    ['without a port that its scheme implies', 'https://A.example:443/x', 'https://a.example/x'],
    ['without the dot after its host', 'https://a.example./x', 'https://a.example/x'],
    ['without a password', 'https://me:secret@a.example/x', 'https://a.example/x'],
    ['without tracking parameters', 'https://a.example/x?utm_source=y&id=1&gclid=2', 'https://a.example/x?id=1'],
    ['without an empty query', 'https://a.example/x?utm_source=y', 'https://a.example/x'],
    ['as an absolute one', '../y?b=1', 'https://a.example/y?b=1'],
  ])('%s', (_what, text, expected) => {
    expect(canonical(text)).toBe(expected)
  })

  test('without any query when queries are ignored', () => {
    expect(canonical('https://a.example/x?id=1', true)).toBe('https://a.example/x')
  })

  test.each(['mailto:a@a.example', 'javascript:alert(1)', 'ftp://a.example/', 'https://', `/${'x'.repeat(3000)}`])(
    'only if it is an http(s) URL: %s',
    (text) => {
      expect(canonical(text)).toBeUndefined()
    },
  )
})

test.each([
  ['http://a.example/x', 'https://a.example/x'],
  ['https://www.a.example/x', 'https://a.example/x'],
  ['https://a.example/x/', 'https://a.example/x'],
  ['https://a.example/x/index.html', 'https://a.example/x'],
])('%s and %s are the same page', (left, right) => {
  expect(pageKeyOf(new URL(left))).toBe(pageKeyOf(new URL(right)))
})

test.each([
  ['https://a.example/x?id=1', 'https://a.example/x?id=2'],
  ['https://a.example/X', 'https://a.example/x'],
  ['https://b.a.example/x', 'https://a.example/x'],
  ['https://a.example:8443/x', 'https://a.example/x'],
])('%s and %s are different pages', (left, right) => {
  expect(pageKeyOf(new URL(left))).not.toBe(pageKeyOf(new URL(right)))
})

test('hostile URLs are canonicalized in linear time', () => {
  const before = process.cpuUsage()

  for (let count = 0; count < 300; count += 1) {
    pageKeyOf(new URL(`https://a.example/${'/'.repeat(2000)}x`))
    canonical(`https://a${'.'.repeat(2000)}a./`)
    canonical(`https://a.example/?${Array.from({ length: 210 }, (_, index) => `utm_${index}`).join('&')}`)
  }

  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(0.8)
})
