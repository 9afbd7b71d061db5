import { expect, test } from 'vitest'
import { v1ScrapeRequest } from '../../../src/contract/v1-scrape.ts'
import { scrapeRequest } from '../../../src/contract/scrape.ts'
import { v1Scrape } from '../../src/compat/v1-scrape.ts'

const url = 'https://example.com/'
const same = { timeout: 30_000, maxAge: 86_400_000, proxy: 'basic' }

test.each([
  ['only a URL', {}, {}],
  ['a PDF as base64', { parsePDF: false }, { parsers: [] }],
  ['geolocation', { geolocation: { country: 'DE' } }, { location: { country: 'de' } }],
  [
    'a screenshot of the whole page',
    { formats: ['screenshot@fullPage'] },
    { formats: [{ type: 'screenshot', fullPage: true }] },
  ],
  ['an image as base64', { formats: ['rawBase64'] }, { formats: [{ type: 'rawBase64' }] }],
  [
    'data',
    { formats: ['json'], jsonOptions: { schema: { a: 1 }, systemPrompt: 'Be brief.', prompt: 'Title?' } },
    { formats: [{ type: 'json', schema: { a: 1 }, prompt: 'Be brief.\n\nTitle?' }] },
  ],
  [
    'changes',
    { formats: ['markdown', 'changeTracking'], changeTrackingOptions: { modes: ['git-diff'], tag: 'x' } },
    { formats: ['markdown', { type: 'changeTracking', modes: ['git-diff'], tag: 'x' }] },
  ],
])('%s means the same in both versions', (_, earlier, later) => {
  const translated = v1Scrape.request(v1ScrapeRequest.parse({ url, ...earlier }))

  expect(JSON.parse(JSON.stringify(translated))).toEqual(
    JSON.parse(JSON.stringify(scrapeRequest.parse({ url, ...same, ...later }))),
  )
})

test('data requested as `extract` is returned as `extract`', () => {
  const request = v1ScrapeRequest.parse({ url, formats: ['extract'], extract: { prompt: 'x' } })

  expect(v1Scrape.response({ json: { a: 1 }, metadata: {} }, request)).toEqual({ extract: { a: 1 }, metadata: {} })
})
