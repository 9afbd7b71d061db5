import { afterAll, beforeAll, expect, test } from 'vitest'
import { startScrapeFixture, type ScrapeFixture } from '../fixture.ts'

let fixture: ScrapeFixture
beforeAll(async () => {
  fixture = await startScrapeFixture()
})
afterAll(async () => fixture[Symbol.asyncDispose]())

test.each([
  ['http://missing.invalid/', 'SCRAPE_DNS_RESOLUTION_ERROR', 'missing.invalid'],
  ['http://127.0.0.1:1/', 'SCRAPE_SITE_ERROR', '127.0.0.1:1'],
  ['http://127.0.0.1:4/', 'SCRAPE_SITE_ERROR', '127.0.0.1:4'],
])('a redirect to a site that cannot be reached fails with the error of this site (%s)', async (to, code, host) => {
  const path = `/redirect?to=${encodeURIComponent(to)}`
  const answers = [await fixture.scrape(path), await fixture.scrape(path, { waitFor: 300 })]

  expect(answers.map(({ body }) => body['code'])).toEqual([code, code])
  for (const { body } of answers) expect(body['error']).toContain(`${host} `)
})
