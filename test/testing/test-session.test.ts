import type { Browser, BrowserType } from '@playwright/test'
import { expect, test } from 'vitest'
import { Bowline } from '../../src/index.ts'
import { openTestSession } from '../../src/testing/test-session.ts'
import { openFileSession } from '../../src/testing/vitest-session.ts'
import { startForeignService } from '../client/foreign-service.ts'

const never = new Promise<never>(() => undefined)

async function endPlaywrightSession(bowline: Bowline): Promise<void> {
  const context = { pages: () => [{ url: () => 'about:blank' }] }
  const browser = { contexts: () => [context], on: () => undefined, close: () => never } as unknown as Browser
  const chromium = { connectOverCDP: async () => browser } as unknown as BrowserType
  const { end } = await openTestSession(bowline, { ttl: 60 }, { chromium, onEnd: () => undefined })
  await end()
}

async function endVitestSession(_: Bowline, bowline: { readonly baseUrl: string; readonly apiKey: string }) {
  const driver = { name: 'hanging', connect: async () => ({ [Symbol.asyncDispose]: () => never }) }
  const opened = await openFileSession({ driver, bowline }, 'page.test.ts')
  await opened[Symbol.asyncDispose]()
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
