import { chromium, type Browser } from 'playwright-core'
import { connect as connectPuppeteer } from 'puppeteer-core'
import { expect, test } from 'vitest'
import { browserPaths } from '../../../test/lab/browser-paths.ts'
import { startLab } from '../../../test/lab/lab.ts'
import { startRawServer } from './raw-client.ts'

const page = '<!doctype html><form method=post enctype=text/plain action=/posted><input name=a value=b></form>'

/** A site that records the heads of requests unchanged, in the order of their paths. */
async function startHeads() {
  const heads = new Map<string, string>()
  const server = await startRawServer((socket) => {
    socket.on('data', (chunk: Buffer) => {
      const [, head = '', path = ''] = /^(\w+ (\S+) .*?)\r\n\r\n/s.exec(chunk.toString('latin1')) ?? []
      if (head === '') return
      heads.set(path, head)
      const moved = path === '/moved' ? '302 Found\r\nLocation: /target' : '200 OK'
      socket.write(
        `HTTP/1.1 ${moved}\r\ncontent-TYPE: text/html\r\nX-oDD: 1\r\nContent-Length: ${page.length}\r\n\r\n${page}`,
      )
    })
  })
  return { ...server, heads }
}

/** Loads a page, a form, a redirect and a fetch with custom headers, as a client sees them. */
async function visit(browser: Browser, origin: string) {
  const context = browser.contexts()[0] ?? (await browser.newContext())
  const tab = await context.newPage()
  const first = await tab.goto(`${origin}/first`)
  const moved = await tab.goto(`${origin}/moved`)
  await tab.evaluate(`fetch('/fetched', { method: 'PUT', body: 'x', headers: { 'x-Own': 'Y' } })`)
  const [posted] = await Promise.all([
    tab.waitForResponse('**/posted'),
    tab.waitForNavigation(),
    tab.evaluate('document.forms[0].submit()'),
  ])
  const seen = []
  for (const response of [first!, (await moved!.request().redirectedFrom()!.response())!, moved!, posted]) {
    seen.push({
      url: response.url(),
      address: await response.serverAddr(),
      sent: await response.request().allHeaders(),
      received: await response.headersArray(),
    })
  }
  await tab.close()
  return seen
}

// Of the headless shell: both kinds share the network stack.
test('plain HTTP is the same as on a direct connection', async () => {
  await using site = await startHeads()
  const origin = `http://127.0.0.1:${site.port}`
  await using direct = await chromium.launch({ executablePath: browserPaths.shell, chromiumSandbox: false })
  const expected = await visit(direct, origin)
  const expectedHeads = Object.fromEntries(site.heads)
  site.heads.clear()
  await using lab = await startLab({ browser: 'shell' })
  const { cdpUrl } = await lab.createSession()
  await using remote = await chromium.connectOverCDP(cdpUrl)

  expect(await visit(remote, origin)).toEqual(expected)
  expect(Object.fromEntries(site.heads)).toEqual(expectedHeads)
  expect(expected[0]?.address).toEqual({ ipAddress: '127.0.0.1', port: site.port })

  const puppeteer = await connectPuppeteer({ browserWSEndpoint: cdpUrl, defaultViewport: null })
  const tab = await puppeteer.newPage()
  const response = await tab.goto(`${origin}/moved`)
  expect(response!.remoteAddress()).toEqual({ ip: '127.0.0.1', port: site.port })
  expect(response!.request().redirectChain()[0]!.response()!.remoteAddress()).toEqual({
    ip: '127.0.0.1',
    port: site.port,
  })
  await puppeteer.disconnect()
})
