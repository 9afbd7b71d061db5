import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startScrapeFixture, type ScrapeFixture } from './fixture.ts'

const hasBubblewrap = existsSync('/usr/bin/bwrap')

describe.runIf(hasBubblewrap).each(['shell', 'chromium'] as const)('under strict isolation %s', (browser) => {
  let fixture: ScrapeFixture
  beforeAll(async () => {
    fixture = await startScrapeFixture({ browser, isolation: 'strict' })
  })
  afterAll(async () => fixture[Symbol.asyncDispose]())

  test.each([
    ['a wait', { waitFor: 50 }],
    ['actions', { actions: [{ type: 'wait', milliseconds: 20 }, { type: 'scrape' }] }],
    ['a screenshot', { formats: ['markdown', 'screenshot'] }],
    ['a profile that is saved', { profile: { name: 'strict', saveChanges: true } }],
    ['a profile that is read', { profile: { name: 'strict', saveChanges: false } }],
  ])('renders a page with %s', async (_name, options) => {
    const page = await fixture.read('/shell', options)

    expect(page['markdown']).toContain('Rendered')
  })

  test('fails if a page navigates to an address that is not public, also when it is loaded again', async () => {
    // After a second, full Chromium loads a page that failed again.
    const { status, body } = await fixture.scrape('/refresh-to-private', { waitFor: 2500 })

    expect([status, body['code']]).toEqual([403, 'EGRESS_REFUSED'])
  })
})
