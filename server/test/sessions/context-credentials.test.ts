import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { connect as connectPuppeteer, type Credentials } from 'puppeteer-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { CreateSessionResponse } from '../../../src/contract.ts'
import { selfSigned } from '../egress/certificate.ts'
import { openServer, type OpenServer, type SessionPage } from '../egress/open-page.ts'
import { startHttpUpstream, type UpstreamServer } from '../egress/upstream-server.ts'

const right = { username: 'me', password: 'pa ss' }

describe('the credentials of the proxy of a browser context', () => {
  let undo: AsyncDisposableStack
  let open: OpenServer
  let opened: SessionPage
  let upstream: UpstreamServer
  let proxy: { readonly server: string }
  let ports: Readonly<Record<80 | 443, number>>
  const seen: { readonly url: string | undefined; readonly headers: readonly string[]; readonly body: string }[] = []
  const respond: RequestListener = (request, response) => {
    const entry = { url: request.url, headers: request.rawHeaders, body: '' }
    seen.push(entry)
    request.on('data', (chunk: Buffer) => (entry.body += chunk.toString()))
    if (request.url === '/closing') response.shouldKeepAlive = response.useChunkedEncodingByDefault = false
    response.setHeader('content-type', 'text/html')
    response.end('<title>here</title>')
  }
  beforeAll(async () => {
    undo = new AsyncDisposableStack()
    const listen = async (server: Server): Promise<number> => {
      undo.defer(() => void server.close())
      await once(server.listen(0, '127.0.0.1'), 'listening')
      return (server.address() as AddressInfo).port
    }
    ports = { 80: await listen(createServer(respond)), 443: await listen(createHttpsServer(selfSigned, respond)) }
    upstream = undo.use(await startHttpUpstream(ports, `${right.username}:${right.password}`))
    proxy = { server: `http://local.test:${upstream.port}` }
    const addresses = { 'public.test': '93.184.215.14', 'local.test': '127.0.0.1' }
    open = undo.use(
      await openServer({ browser: 'shell', allow: ['127.0.0.1'] }, async (name) => {
        if (name in addresses) return [addresses[name as keyof typeof addresses]]
        throw new Error(`no such name: ${name}`)
      }),
    )
    opened = undo.use(await open.openPage())
  })
  afterAll(async () => undo.disposeAsync())
  beforeEach(() => {
    seen.length = upstream.asked.length = 0
  })

  test('are asked for as by the proxy itself, and never reach the sites: Playwright', async () => {
    await using context = await opened.browser.newContext({ proxy: { ...proxy, ...right }, ignoreHTTPSErrors: true })
    const page = await context.newPage()
    const paths: string[] = []
    await page.route('**', async (route) => {
      paths.push(new URL(route.request().url()).pathname)
      await route.continue()
    })

    for (const url of ['http://public.test/a?b', 'https://public.test/', 'http://public.test/closing']) {
      const response = await page.goto(url)

      expect(await page.title(), url).toBe('here')
      // The address of the server's own port would be 127.0.0.1.
      expect(await response?.serverAddr(), url).toBeNull()
    }
    const status = await page.evaluate(
      'fetch("/posted", { method: "POST", body: "text" }).then(({ status }) => status)',
    )

    expect(status).toBe(200)
    expect(seen.at(-1)).toMatchObject({ url: '/posted', body: 'text' })
    // Sites see the requests of a browser without a proxy.
    expect(seen[0]).toMatchObject({ url: '/a?b', body: '' })
    expect(seen[0]?.headers.slice(0, 4)).toEqual(['Host', 'public.test', 'Connection', 'keep-alive'])
    expect(seen.flatMap(({ headers }) => headers).filter((text) => /proxy/i.test(text))).toEqual([])
    expect(paths).toEqual(['/a', '/', '/closing', '/posted'])
    // One challenge per scheme.
    const [page1, https] = ['GET http://public.test/a?b HTTP/1.1', 'CONNECT public.test:443 HTTP/1.1']
    const later = ['GET http://public.test/closing HTTP/1.1', 'POST http://public.test/posted HTTP/1.1']
    expect(upstream.asked).toEqual([page1, page1, https, https, ...later])
  })

  test('fail as with a local browser if they are wrong: Playwright', async () => {
    await using context = await opened.browser.newContext({ proxy: { ...proxy, ...right, password: 'wrong' } })
    const page = await context.newPage()

    const response = await page.goto('http://public.test/')
    const failed = page.waitForEvent('requestfailed')
    // With a local browser, Playwright waits for a page until the timeout.
    page.goto('https://public.test/').catch(() => {})

    expect(response?.status()).toBe(407)
    expect((await failed).failure()).toEqual({ errorText: 'net::ERR_TUNNEL_CONNECTION_FAILED' })
    expect(upstream.asked).toHaveLength(4)
    expect(seen).toEqual([])
  })

  test('are those of `authenticate`, and fail as with a local browser if they are wrong: Puppeteer', async () => {
    const { id, cdpUrl } = (await (await open.create()).json()) as CreateSessionResponse
    await using _session = { [Symbol.asyncDispose]: async () => open.end(id) }
    const browser = await connectPuppeteer({ browserWSEndpoint: cdpUrl, acceptInsecureCerts: true })
    const context = await browser.createBrowserContext({ proxyServer: proxy.server })
    const visit = async (credentials: Credentials, url: string): Promise<number | undefined> => {
      const page = await context.newPage()
      await page.authenticate(credentials)
      return (await page.goto(url))?.status()
    }

    expect(await visit({ ...right, password: 'wrong' }, 'https://public.test/')).toBe(407)
    expect(await visit({ ...right, password: 'wrong' }, 'http://public.test/')).toBe(407)
    expect(upstream.asked.length).toBeLessThanOrEqual(4)
    expect(await visit(right, 'https://public.test/')).toBe(200)
    expect(await visit(right, 'http://public.test/')).toBe(200)
    await browser.disconnect()
  })

  test('are asked for by a challenge that names the proxy of the client', async () => {
    await using context = await opened.browser.newContext({ proxy })
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
    const challenges: unknown[] = []
    cdp.on('Fetch.requestPaused', ({ requestId }) => void cdp.send('Fetch.continueRequest', { requestId }))
    cdp.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
      challenges.push(authChallenge)
      const authChallengeResponse = { response: 'ProvideCredentials' as const, ...right }
      void cdp.send('Fetch.continueWithAuth', { requestId, authChallengeResponse })
    })
    await cdp.send('Fetch.enable', { handleAuthRequests: true })

    const response = await page.goto('http://public.test/')

    expect(response?.status()).toBe(200)
    expect(challenges).toEqual([{ source: 'Proxy', origin: proxy.server, scheme: 'basic', realm: 'upstream' }])
  })

  test('are not asked for by a proxy that cannot be reached', async () => {
    await using context = await opened.browser.newContext({ proxy: { server: 'http://local.test:1', ...right } })
    const page = await context.newPage()

    for (const url of ['http://public.test/', 'https://public.test/']) {
      await expect(page.goto(url), url).rejects.toThrow('net::ERR_PROXY_CONNECTION_FAILED')
    }
  })
})
