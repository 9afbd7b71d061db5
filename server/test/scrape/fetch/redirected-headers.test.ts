import { afterAll, beforeAll, expect, test } from 'vitest'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

let fixture: ScrapeFixture

beforeAll(async () => {
  fixture = await startScrapeFixture()
})
afterAll(async () => fixture[Symbol.asyncDispose]())

test.each([
  ['fetched', {}],
  ['rendered', { waitFor: 1 }],
  ['rendered without checks of certificates', { waitFor: 1, skipTlsVerification: true }],
])('custom headers are sent again after a redirect through another origin: a %s page', async (_, how) => {
  const headers = { Origin: 'https://a.test', Referer: 'https://a.test/?secret', 'X-Team': 'blue' }
  const { markdown } = await fixture.read('/there-and-back', { headers, onlyMainContent: false, ...how })

  for (const sent of ['"origin":"https://a.test"', '"referer":"https://a.test/?secret"', '"x-team":"blue"']) {
    expect(markdown).toContain(sent)
  }
})
