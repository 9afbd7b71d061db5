import type { Socket } from 'node:net'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { browserPaths } from '../../../test/lab/browser-paths.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { openServer, type OpenServer } from '../egress/open-page.ts'
import { startRawServer } from '../egress/raw-client.ts'
import { startHttpUpstream, type HttpUpstream } from '../egress/upstream-server.ts'

const right = { username: 'me', password: 'pa ss' }

/** Sends requests of several kinds, and returns what the page sees of their responses. */
async function visit(page: Page) {
  const first = await page.goto('http://public.test/echo?a=b#c')
  const moved = await page.goto('http://public.test:8080/redirect?to=/echo')
  const results = await page.evaluate(`(async () => {
    const send = async (method, body) => (await fetch('/echo?sent', { method, body })).status
    return [await send('POST', 'x'.repeat(300000)), await send('DELETE'), await send('PUT', '')]
  })()`)
  return { urls: [first?.url(), moved?.url()], statuses: [first?.status(), moved?.status()], results }
}

describe('an HTTP proxy that opens tunnels to port 443 alone', () => {
  let undo: AsyncDisposableStack
  let site: Site
  let open: OpenServer
  let upstream: HttpUpstream
  let strict: HttpUpstream
  let direct: Browser
  beforeAll(async () => {
    undo = new AsyncDisposableStack()
    site = undo.use(await startSite())
    upstream = undo.use(await startHttpUpstream(site.port, undefined, { tunnelPorts: [443] }))
    strict = undo.use(await startHttpUpstream(site.port, 'me:pa ss', { tunnelPorts: [443] }))
    const addresses = { 'public.test': '93.184.215.14', 'inside.test': '10.1.2.3', 'local.test': '127.0.0.1' }
    open = undo.use(
      await openServer({ browser: 'shell', allow: ['127.0.0.1'] }, async (name) => {
        if (name in addresses) return [addresses[name as keyof typeof addresses]]
        throw new Error(`no such name: ${name}`)
      }),
    )
    direct = undo.use(await chromium.launch({ executablePath: browserPaths.shell, chromiumSandbox: false }))
  })
  afterAll(async () => undo.disposeAsync())
  beforeEach(() => {
    for (const { asked, heads } of [upstream, strict]) asked.length = heads.length = 0
  })

  /** Visits the site with a local browser. Returns results and the heads of requests. */
  async function visitDirectly(server: HttpUpstream, credentials?: typeof right) {
    await using context = await direct.newContext({
      proxy: { server: `http://127.0.0.1:${server.port}`, ...credentials },
    })
    const seen = await visit(await context.newPage())
    const heads = server.heads.splice(0)
    server.asked.length = 0
    return { seen, heads }
  }

  test('gets plain http of a context as from a local browser', async () => {
    const expected = await visitDirectly(upstream)
    await using opened = await open.openPage()
    await using context = await opened.browser.newContext({ proxy: { server: `http://local.test:${upstream.port}` } })
    const page = await context.newPage()

    expect(await visit(page)).toEqual(expected.seen)
    expect(upstream.heads).toEqual(expected.heads)
    expect(upstream.asked[0]).toBe('GET http://public.test/echo?a=b HTTP/1.1')
  })

  test('gets the credentials of a context as from a local browser', async () => {
    const expected = await visitDirectly(strict, right)
    await using opened = await open.openPage()
    const proxy = { server: `http://local.test:${strict.port}`, ...right }
    await using context = await opened.browser.newContext({ proxy })

    expect(await visit(await context.newPage())).toEqual(expected.seen)
    expect(strict.heads).toEqual(expected.heads)
  })

  test('gets plain http of a session with a proxy, and its credentials', async () => {
    const expected = await visitDirectly(strict, right)
    await using opened = await open.openPage({ proxy: { server: `http://local.test:${strict.port}`, ...right } })

    expect(await visit(opened.page)).toEqual(expected.seen)
    // A browser that is not asked for credentials sends each request once, and uses its cache.
    const sentOnce = expected.heads
      .filter((head) => head.some((line) => line.startsWith('Proxy-Authorization:')))
      .map((head) => head.filter((line) => !/^(?:Pragma|Cache-Control):/.test(line)))
    expect(strict.heads).toEqual(sentOnce)
  })

  test('is reported if it cannot be reached or refuses the credentials', async () => {
    await using wrong = await open.openPage({
      proxy: { server: `http://local.test:${strict.port}`, username: 'me', password: 'wrong' },
    })
    await expect(wrong.page.goto('http://public.test/')).rejects.toThrow('net::ERR_TUNNEL_CONNECTION_FAILED')

    await using unreachable = await open.openPage({ proxy: { server: 'http://local.test:1' } })
    await expect(unreachable.page.goto('http://public.test/')).rejects.toThrow('net::ERR_PROXY_CONNECTION_FAILED')
  })

  test.each<[behaviour: string, respond: (socket: Socket) => void]>([
    ['closes the connection', (socket) => socket.end()],
    ['resets the connection', (socket) => socket.resetAndDestroy()],
    ['speaks another protocol', (socket) => socket.end('220 ready\r\n\r\n')],
    ['refuses with a page', (socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno')],
  ])('that %s causes the errors of a local browser', async (_, respond) => {
    await using server = await startRawServer((socket) => socket.once('data', () => respond(socket)))
    await using opened = await open.openPage()
    const urls = ['https://public.test/', 'http://public.test/']
    const outcomes = async (browser: Browser, host: string) => {
      await using context = await browser.newContext({ proxy: { server: `http://${host}:${server.port}` } })
      const results = []
      for (const url of urls) {
        const page = await context.newPage()
        results.push(
          await page.goto(url).then(
            (response) => response?.status(),
            (error: Error) => error.message,
          ),
        )
      }
      return results
    }

    expect(await outcomes(opened.browser, 'local.test')).toEqual(await outcomes(direct, '127.0.0.1'))
  })

  test('does not get what the rules of the server and the session refuse, or allow directly', async () => {
    const proxy = { server: `http://local.test:${upstream.port}` }
    await using opened = await open.openPage({ proxy, blockedDomains: ['other.test'] })
    await opened.page.goto('http://public.test/')
    const before = upstream.asked.length

    for (const host of ['inside.test', '10.1.2.3', 'other.test', `127.0.0.1:${new URL(open.server.url).port}`]) {
      const tab = await opened.page.context().newPage()
      await expect(tab.goto(`http://${host}/`), host).rejects.toThrow('net::ERR_BLOCKED_BY_ADMINISTRATOR')
    }
    const response = await opened.page.goto(site.url('/'))

    expect(await response?.serverAddr()).toEqual({ ipAddress: '127.0.0.1', port: site.port })
    expect(upstream.asked).toHaveLength(before)
  })
})
