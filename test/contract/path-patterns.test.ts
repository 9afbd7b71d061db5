import { expect, test } from 'vitest'
import { pathPatterns } from '../../src/contract/path-patterns.ts'

test.each([
  [['^/docs/', 'blog/\\d+$', '.*', 'é', '\\p{L}', '(?<=a)b', 'a{2,3}'], true],
  [[], true],
  [['x'.repeat(500)], true],
  [Array.from({ length: 100 }, () => 'x'), true],
  [[''], false],
  [['('], false],
  [['[a-'], false],
  [['*'], false],
  [['a{3,2}'], false],
  [['\\'], false],
  [['x'.repeat(501)], false],
  [Array.from({ length: 101 }, () => 'x'), false],
  [[1], false],
  ['/docs/', false],
])('the patterns %j are accepted: %j', (patterns, isAccepted) => {
  expect(pathPatterns.safeParse(patterns).success).toBe(isAccepted)
})
