import type { Browser, BrowserType } from '@playwright/test'
import type { TestAPI } from 'vitest'
import { expect, test } from 'vitest'
import { Bowline } from '../../src/index.ts'
import { openTestSession } from '../../src/testing/test-session.ts'
import { withSession } from '../../src/testing/vitest-fixtures.ts'
import { startForeignService } from '../client/foreign-service.ts'

type SharedSession = readonly [(fixtures: object, use: () => Promise<void>) => Promise<void>]

const never = new Promise<never>(() => undefined)

async function endPlaywrightSession(bowline: Bowline): Promise<void> {
  const context = { pages: () => [{ url: () => 'about:blank' }] }
  const browser = { contexts: () => [context], on: () => undefined, close: () => never } as unknown as Browser
  const chromium = { connectOverCDP: async () => browser } as unknown as BrowserType
  const { end } = await openTestSession(bowline, { ttl: 60 }, { chromium, onEnd: () => undefined })
  await end()
}

async function endVitestSession(_: Bowline, clientOptions: { readonly baseUrl: string; readonly apiKey: string }) {
  const extend = (fixtures: object): object => fixtures
  const driver = { name: 'hanging', connect: async () => ({ [Symbol.asyncDispose]: () => never }) }
  const fixtures = withSession({ extend } as unknown as TestAPI, { driver, bowline: clientOptions })
  const [open] = (fixtures as unknown as { readonly sharedSession: SharedSession }).sharedSession
  await open({}, async () => undefined)
}

test.concurrent.each([
  ['Playwright Test', endPlaywrightSession],
  ['Vitest', endVitestSession],
])('the session of the fixtures of %s is deleted although its library does not disconnect', async (_, end) => {
  await using service = await startForeignService()
  const options = { baseUrl: service.url, apiKey: service.apiKey, reaper: false }

  await end(new Bowline(options), options)

  expect(service.live.size).toBe(0)
})
