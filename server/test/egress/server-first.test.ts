import type { Socket } from 'node:net'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { startLab } from '../../../test/lab/lab.ts'
import { startSite } from '../../../test/lab/site.ts'
import { startRawServer } from './raw-client.ts'

const banner = 'SSH-2.0-x\r\n'

test.each([
  ['ends', (socket: Socket) => void socket.end(banner)],
  ['waits', (socket: Socket) => void socket.write(banner)],
])('a server without TLS that speaks first and then %s causes an SSL error, as without a proxy', async (_, speak) => {
  await using site = await startSite()
  await using server = await startRawServer(speak)
  await using lab = await startLab()
  const { cdpUrl } = await lab.createSession()
  await using browser = await chromium.connectOverCDP(cdpUrl)
  const [context] = browser.contexts()
  const [refused, page] = [await context!.newPage(), await context!.newPage()]

  const opened = await refused.goto(`https://127.0.0.1:${server.port}/`).catch((error: Error) => error.message)
  await page.goto(site.url('/'))
  const failed = page.waitForEvent('requestfailed')
  await page.evaluate(`fetch('https://127.0.0.1:${server.port}/', { mode: 'no-cors' }).catch(() => {})`)
  const fetched = (await failed).failure()?.errorText
  const line = page.waitForEvent('console', (each) => each.text().includes('wss:'))
  await page.evaluate(`void new WebSocket('wss://127.0.0.1:${server.port}/')`)

  expect(opened).toContain('net::ERR_SSL_PROTOCOL_ERROR')
  expect(fetched).toBe('net::ERR_SSL_PROTOCOL_ERROR')
  expect((await line).text()).toContain('net::ERR_SSL_PROTOCOL_ERROR')
})
