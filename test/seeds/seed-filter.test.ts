import { expect, test } from 'vitest'
import { createSeedFilter } from '../../src/seeds/seed-filter.ts'

test.each([
  ['/docs/*', 'https://a.example/docs/x', true],
  ['/docs/*', 'https://a.example/docs', false],
  ['/docs/*', 'https://a.example/v1/docs/x', false],
  ['/DOCS/*', 'https://a.example/docs/x', true],
  ['/', 'https://a.example', true],
  ['/*', 'https://a.example/x?y#z', true],
  ['/a.b', 'https://a.example/axb', false],
  ['/a+(b)[c]{d}|e^f$', 'https://a.example/a+(b)[c]{d}|e^f$', false],
  ['/x$', 'https://a.example/x', false],
  ['/%C3%BC', 'https://a.example/ü', true],
  ['/ü', 'https://a.example/ü', true],
  ['/a b', 'https://a.example/a b', true],
  ['/*/*/*', 'https://a.example/a/b', false],
  ['https://*.a.example/*', 'https://b.a.example/x', true],
  ['https://*.a.example/*', 'https://a.example/x', false],
  ['*://a.example/*', 'http://a.example/x', true],
  ['HTTPS://A.example/x', 'https://a.example/x', true],
  [/DOCS/i, 'https://a.example/docs', true],
  [/^https:/g, 'https://a.example/', true],
] as const)('the pattern %s matches %s: %s', (pattern, url, isIncluded) => {
  const address = new URL(url)

  expect(createSeedFilter(pattern, undefined)(address)).toBe(isIncluded)
  expect(createSeedFilter(undefined, [pattern])(address)).toBe(!isIncluded)
})

test.each(['', 'docs/*', ' /docs', '**', '\\docs'])('the pattern %j is rejected', (pattern) => {
  expect(() => createSeedFilter(pattern, undefined)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
})
