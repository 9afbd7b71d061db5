import { expect, test } from 'vitest'
import { searchRequestV1, searchResponse } from '../../../src/contract/search.ts'
import { v1Search } from '../../src/compat/v1-search.ts'

const found = searchResponse.parse({
  success: true,
  data: { web: [{ url: 'http://a.test/', title: 'A', description: '', position: 1, json: { price: 3 } }] },
  creditsUsed: 7,
})

test.each([
  ['extract', { formats: ['extract'], extract: { prompt: 'The price' } }],
  ['json', { formats: ['json'], jsonOptions: { prompt: 'The price' } }],
])('v1 returns extracted data as %s if it was requested as such', (name, scrapeOptions) => {
  const request = searchRequestV1.parse({ query: 'a', scrapeOptions })

  expect(v1Search.response(found, request).data).toEqual([
    { url: 'http://a.test/', title: 'A', description: '', [name]: { price: 3 } },
  ])
})
