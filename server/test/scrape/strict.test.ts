import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startScrapeWorld, type ScrapeWorld } from './world.ts'

const hasBubblewrap = existsSync('/usr/bin/bwrap')

describe.runIf(hasBubblewrap).each(['shell', 'chromium'] as const)('under strict isolation %s', (browser) => {
  let world: ScrapeWorld
  beforeAll(async () => {
    world = await startScrapeWorld({ browser, isolation: 'strict' })
  })
  afterAll(async () => world[Symbol.asyncDispose]())

  test.each([
    ['a wait', { waitFor: 50 }],
    ['actions', { actions: [{ type: 'wait', milliseconds: 20 }, { type: 'scrape' }] }],
    ['a screenshot', { formats: ['markdown', 'screenshot'] }],
    ['a profile that is saved', { profile: { name: 'strict', saveChanges: true } }],
    ['a profile that is read', { profile: { name: 'strict', saveChanges: false } }],
  ])('renders a page with %s', async (_name, options) => {
    const page = await world.read('/shell', options)

    expect(page['markdown']).toContain('Rendered')
  })
})
