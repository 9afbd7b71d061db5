import { once } from 'node:events'
import { connect as connectPuppeteer } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { openServer, type OpenServer } from '../egress/open-page.ts'
import { startHttpUpstream, startSocksUpstream } from '../egress/upstream-server.ts'

const refusedConnection = 'net::ERR_BLOCKED_BY_ADMINISTRATOR'

describe('the proxy of a browser context', () => {
  let undo: AsyncDisposableStack
  let site: Site
  let open: OpenServer
  beforeAll(async () => {
    undo = new AsyncDisposableStack()
    site = undo.use(await startSite())
    const addresses = { 'public.test': '93.184.215.14', 'inside.test': '10.1.2.3', 'local.test': '127.0.0.1' }
    open = undo.use(
      await openServer({ browser: 'shell', allow: ['127.0.0.1'] }, async (name) => {
        if (name in addresses) return [addresses[name as keyof typeof addresses]]
        throw new Error(`no such name: ${name}`)
      }),
    )
  })
  afterAll(async () => undo.disposeAsync())

  const rules = { blockedDomains: ['other.test'] }

  test('is used for its pages alone, within the rules of the server and the session: Playwright', async () => {
    await using upstream = await startHttpUpstream(site.port)
    await using opened = await open.openPage(rules)
    const proxy = { server: `http://local.test:${upstream.port}` }
    const context = await opened.browser.newContext({ proxy })
    const page = await context.newPage()

    const response = await page.goto('http://public.test/')

    expect(upstream.asked.join('\n')).toContain('GET http://public.test/ HTTP/1.1')
    // The address of the server's own port would be 127.0.0.1.
    expect(await response?.serverAddr()).toBeNull()
    const before = upstream.asked.length
    for (const host of ['inside.test', '10.1.2.3', 'other.test', `127.0.0.1:${new URL(open.server.url).port}`]) {
      const tab = await context.newPage()
      await expect(tab.goto(`http://${host}/`), host).rejects.toThrow(refusedConnection)
    }
    await page.goto(site.url('/'))
    await opened.page.goto(site.url('/'))
    expect(upstream.asked).toHaveLength(before)
  })

  test('may have credentials in its URL: Puppeteer', async () => {
    await using upstream = await startSocksUpstream(site.port, { credentials: 'some%one:p@ss:word', isSlow: true })
    const { id, cdpUrl } = (await (await open.create(rules)).json()) as { id: string; cdpUrl: string }
    await using _session = { [Symbol.asyncDispose]: async () => open.end(id) }
    const browser = await connectPuppeteer({ browserWSEndpoint: cdpUrl })
    const proxyServer = `socks5://some%25one:p%40ss%3Aword@local.test:${upstream.port}`
    const context = await browser.createBrowserContext({ proxyServer })
    const page = await context.newPage()

    await page.goto('http://public.test/')

    expect(upstream.asked).toContain('public.test:80')
    for (const host of ['inside.test', 'other.test']) {
      const tab = await context.newPage()
      await expect(tab.goto(`http://${host}/`), host).rejects.toThrow(refusedConnection)
    }
    await browser.disconnect()
  })

  test('is refused at an address that the server does not permit, and without it for some hosts', async () => {
    await using opened = await open.openPage()

    for (const server of ['http://inside.test:3128', 'socks5://10.1.2.3', open.server.url]) {
      await expect(opened.browser.newContext({ proxy: { server } }), server).rejects.toThrow(
        'Target.createBrowserContext: the proxy of the context cannot be used',
      )
    }
    const proxy = { server: 'http://local.test', bypass: 'public.test' }
    await expect(opened.browser.newContext({ proxy })).rejects.toThrow('`proxyBypassList` is not allowed')
  })

  test('leaves the connection open if the command is nested too deeply', async () => {
    const { id, cdpUrl } = (await (await open.create()).json()) as { id: string; cdpUrl: string }
    await using _session = { [Symbol.asyncDispose]: async () => open.end(id) }
    await using cdp = await connectCdp(cdpUrl)
    const answered = once(cdp.socket, 'message')
    const params = `"proxyServer":"http://local.test","x":${'['.repeat(2e4)}${']'.repeat(2e4)}`

    cdp.socket.send(`{"id":900,"method":"Target.createBrowserContext","params":{${params}}}`)

    const [answer] = (await answered) as [Buffer]
    expect(JSON.parse(answer.toString())).toMatchObject({
      id: 900,
      error: { message: expect.stringContaining('call stack') },
    })
  })
})
