import { expect, test } from 'vitest'
import { location } from '../../src/contract/location.ts'
import { searchRequest } from '../../src/contract/search.ts'

test.each(['ZZ', 'EU', 'UN', 'SU', 'XX', 'DEU', '', 'uk'])('the country %j is rejected', (country) => {
  for (const result of [location.safeParse({ country }), searchRequest.safeParse({ query: 'knots', country })]) {
    expect(result.error?.issues).toMatchObject([{ path: ['country'], message: expect.stringContaining('ISO 3166-1') }])
  }
})

test('the error for UK names the code of the United Kingdom', () => {
  expect(location.safeParse({ country: 'UK' }).error?.issues[0]?.message).toContain('`GB`')
})

test.each([
  ['GB', 'gb'],
  ['xk', 'xk'],
  ['us-generic', 'us'],
])('the country %s is accepted as %s', (country, parsed) => {
  expect(location.parse({ country })).toEqual({ country: parsed })
})
