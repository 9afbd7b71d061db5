import { expect, test } from 'vitest'
import { matchesDomain, parseDomainPattern } from '../../src/kit/domain-pattern.ts'

test.each([
  ['example.com', 'example.com', 443, true],
  ['example.com', 'EXAMPLE.com.', 80, true],
  ['example.com', 'www.example.com', 443, false],
  ['example.com', 'notexample.com', 443, false],
  ['*.example.com', 'a.b.example.com', 443, true],
  ['*.example.com', 'example.com', 443, false],
  ['*.example.com', 'example.com.evil.test', 443, false],
  ['example.com:8443', 'example.com', 8443, true],
  ['example.com:8443', 'example.com', 443, false],
  ['münchen.example', 'xn--mnchen-3ya.example', 443, true],
  ['127.0.0.1', '127.1', 80, true],
  ['127.0.0.1', '2130706433', 80, true],
  ['[::1]', '::1', 80, true],
  ['[::1]:80', '[0:0::1]', 80, true],
  ['example.com', '93.184.215.14', 443, false],
])('%s matches %s:%i: %s', (text, host, port, matches) => {
  const pattern = parseDomainPattern(text)

  expect(pattern && matchesDomain(pattern, { host, port })).toBe(matches)
})

test.each([
  '',
  '*',
  '*.',
  '*.*.example.com',
  'a.*.example.com',
  'https://example.com',
  'example.com/path',
  'user@example.com',
  'example.com:0',
  'example.com:65536',
  '*.127.0.0.1',
  '*.[::1]',
  'two words.example',
  '%2e%2e',
])('%j is no pattern', (text) => {
  expect(parseDomainPattern(text)).toBeUndefined()
})
