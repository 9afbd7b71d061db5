import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CreateSessionOptions } from '../../../src/contract.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { sendHtml, sendScript } from '../../../test/lab/pages/page.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { visit } from '../../../test/lab/visit.ts'
import { attempts, q, reachWorker } from '../egress/attempts.ts'
import { openServer, type OpenServer } from '../egress/open-page.ts'
import { startRawServer, type RawServer } from '../egress/raw-client.ts'
import { startHttpUpstream, startSocksUpstream } from '../egress/upstream-server.ts'

const answerWorker = `addEventListener('install', () => skipWaiting())
  addEventListener('activate', (event) => event.waitUntil(clients.claim()))
  addEventListener('fetch', (event) => event.request.mode === 'navigate' && event.respondWith(
    new Response('<title>From the worker</title>', { headers: { 'content-type': 'text/html' } })))`

const refusedConnection = 'net::ERR_BLOCKED_BY_ADMINISTRATOR'
const refusedPage = 'net::ERR_BLOCKED_BY_CLIENT'

describe.each(['shell', 'chromium'] as const)('domains of a session in %s', (kind) => {
  let undo: AsyncDisposableStack
  let site: Site
  let other: RawServer
  /** Requests to `other`. Chromium connects in advance to the host of a navigation. */
  let requests = 0
  let open: OpenServer

  beforeAll(async () => {
    undo = new AsyncDisposableStack()
    site = undo.use(
      await startSite({
        '/reach.js': (exchange) => sendScript(exchange, reachWorker),
        '/answer.js': (exchange) => sendScript(exchange, answerWorker),
        '/form': (exchange) => sendHtml(exchange, 'Form', `<form method="post"><input name="a"></form>`),
      }),
    )
    other = undo.use(
      await startRawServer((socket) =>
        socket.once('data', () => {
          requests += 1
          socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/html\r\n\r\n<p>other')
        }),
      ),
    )
    open = undo.use(
      await openServer({ browser: kind, warm: 1, allow: ['127.0.0.1'] }, async (name) => {
        if (name.endsWith('.test')) return ['127.0.0.1']
        throw new Error(`no such name: ${name}`)
      }),
    )
  })

  afterAll(async () => undo.disposeAsync())

  const siteAt = (host: string, path = '/') => `http://${host}:${site.port}${path}`
  const otherAt = (host: string) => `http://${host}:${other.port}/`

  async function withPage(session: CreateSessionOptions, work: (page: Page) => Promise<void>): Promise<void> {
    await using opened = await open.openPage(session)
    await work(opened.page)
  }

  describe('a list for all requests', () => {
    let page: Page
    let session: AsyncDisposable
    beforeAll(async () => {
      const opened = await open.openPage({ allowedDomains: ['shop.test', '*.cdn.test', '127.0.0.1'] })
      session = opened
      page = opened.page
    })
    afterAll(async () => session[Symbol.asyncDispose]())

    // The proxy decides, so in the second browser only those that differ from a plain request.
    const tried = Object.entries(attempts).filter(
      ([name]) => kind === 'shell' || /^a .*(?:worker|WebSocket)/.test(name),
    )
    test.each(tried)('permits the hosts in it, and no other, with %s', async (_name, attempt) => {
      // A secure context, for service workers.
      await page.goto(siteAt('127.0.0.1'))
      const before = other.connections()

      await page.evaluate(attempt(otherAt('other.test')))
      await page.evaluate(attempt(otherAt('cdn.test')))
      await page.evaluate(attempt(otherAt('shop.test.other.test')))

      expect(other.connections()).toBe(before)
      await page.evaluate(attempt(otherAt('a.b.cdn.test')))
      expect(other.connections()).toBeGreaterThan(before)
    })

    test('explains a refused navigation', async () => {
      const tab = await page.context().newPage()

      await expect(tab.goto(otherAt('other.test'))).rejects.toThrow(
        `${refusedConnection} (the host is not in \`allowedDomains\` of the session)`,
      )
    })

    test('recognizes other spellings of a host', async () => {
      const tab = await page.context().newPage()

      await tab.goto(otherAt('SHOP.test.'))

      expect(await tab.innerText('p')).toBe('other')
    })
  })

  test('a blocked host stays blocked although it is allowed, for code of the client too', async () => {
    const lists = { allowedDomains: ['*.test'], blockedDomains: ['ads.test', `shop.test:${other.port}`] }
    await withPage(lists, async (page) => {
      await page.goto(siteAt('shop.test'))
      await page.route('**/rewritten', async (route) => route.continue({ url: otherAt('ads.test') }))
      const before = other.connections()

      const results = await page.evaluate(
        `Promise.all([${[otherAt('ads.test'), otherAt('shop.test'), '/rewritten']
          .map((url) => `fetch(${q(url)}, { mode: 'no-cors' }).then(() => 'loaded', () => 'failed')`)
          .join()}])`,
      )
      const load = page
        .context()
        .newCDPSession(page)
        .then(async (cdp) => {
          const { frameTree } = await cdp.send('Page.getFrameTree')
          const options = { disableCache: true, includeCredentials: false }
          return cdp.send('Network.loadNetworkResource', {
            frameId: frameTree.frame.id,
            url: otherAt('ads.test'),
            options,
          })
        })

      expect(results).toEqual(['failed', 'failed', 'failed'])
      expect((await load).resource.success).toBe(false)
      expect(other.connections()).toBe(before)
    })
  })

  describe('rules for the pages of tabs alone', () => {
    const lists = {
      allowedDomains: { navigation: ['shop.test'] },
      blockedDomains: { navigation: [`shop.test:1`] },
    }
    let page: Page
    let session: AsyncDisposable
    beforeAll(async () => {
      const opened = await open.openPage(lists)
      session = opened
      page = opened.page
    })
    afterAll(async () => session[Symbol.asyncDispose]())

    test('let pages load from anywhere, also frames and sockets', async () => {
      await page.goto(siteAt('shop.test'))

      await page.evaluate(`document.body.innerHTML = '<iframe src="${siteAt('frame.test', '/form')}"></iframe>'`)
      await page.frameLocator('iframe').locator('form').waitFor()

      for (const name of ['fetch', 'a WebSocket', 'a worker'] as const) {
        const before = other.connections()
        await page.evaluate(attempts[name](otherAt('other.test')))
        expect(other.connections(), name).toBeGreaterThan(before)
      }
    })

    const explanation = 'the host is not in `allowedDomains` of the session'
    test('refuse and explain a navigation by the client, also after a redirect', async () => {
      await page.goto(siteAt('shop.test'))
      const before = requests
      const tab = await page.context().newPage()

      await expect(tab.goto(otherAt('other.test'))).rejects.toThrow(`${refusedPage} (${explanation})`)
      const redirect = siteAt('shop.test', `/redirect?to=${encodeURIComponent(otherAt('other.test'))}`)
      await expect(tab.goto(redirect)).rejects.toThrow(refusedPage)

      expect(requests).toBe(before)
    })

    const navigations = [
      ['a location', (url: string) => `location.href = ${q(url)}`],
      [
        'a link',
        (url: string) =>
          `Object.assign(document.body.appendChild(document.createElement('a')), { href: ${q(url)} }).click()`,
      ],
      ['a popup', (url: string) => `void open(${q(url)})`],
      ['a popup that navigates', (url: string) => `void open('about:blank').location.replace(${q(url)})`],
      [
        'a form',
        (url: string) =>
          `(() => { const form = document.createElement('form'); form.method = 'post'; form.action = ${q(url)}; document.body.append(form); form.submit() })()`,
      ],
      [
        'a meta refresh',
        (url: string) => `document.head.innerHTML += '<meta http-equiv=refresh content="0;url=${url}">'`,
      ],
      [
        'a frame that navigates the tab',
        (url: string) =>
          `document.body.innerHTML = '<iframe srcdoc="<script>top.location.href = &quot;${url}&quot;</scr' + 'ipt>"></iframe>'`,
      ],
    ] as const
    test.each(navigations.filter(([name]) => kind === 'shell' || /popup|form/.test(name)))(
      'refuse %s',
      async (_name, navigate) => {
        const tab = await page.context().newPage()
        await tab.goto(siteAt('shop.test'))
        const before = requests
        const refused = page
          .context()
          .waitForEvent('requestfailed', (request) => request.failure()?.errorText === refusedPage)

        await tab.evaluate(navigate(otherAt('other.test')))

        expect((await refused).url()).toBe(otherAt('other.test'))
        expect(requests).toBe(before)
      },
    )

    test('refuse what a client makes of its intercepted requests', async () => {
      const tab = await page.context().newPage()
      await tab.route('**/start', async (route) => route.continue({ url: otherAt('other.test') }))
      const before = requests

      await expect(tab.goto(siteAt('shop.test', '/start'))).rejects.toThrow(refusedPage)

      expect(requests).toBe(before)
    })
  })

  test('a client has no command to change the rules', async () => {
    const { cdpUrl } = (await (await open.create({ allowedDomains: { navigation: ['shop.test'] } })).json()) as {
      cdpUrl: string
    }
    await using cdp = await connectCdp(cdpUrl)

    for (const method of ['Fetch.enable', 'Fetch.disable', 'Fetch.continueRequest'] as const) {
      await cdp.call(method, { requestId: 'interception-job-1.0' }).catch(() => undefined)
    }
    const page = await cdp.attachToPage()
    const { result } = await cdp.call('Page.navigate', { url: otherAt('other.test') }, page)

    expect(result?.['errorText']).toContain(refusedPage)
  })

  if (kind === 'shell') return

  test('a page from a service worker of the profile is left', async () => {
    const profile = { name: 'with-worker' }
    const created = (await (await open.create({ profile })).json()) as { id: string; cdpUrl: string }
    await visit(created, async (page) => {
      await page.goto(siteAt('127.0.0.1'))
      await page.evaluate(`navigator.serviceWorker.register('/answer.js').then(() => navigator.serviceWorker.ready)`)
      await page.goto(siteAt('127.0.0.1', '/anything'))
      expect(await page.title()).toBe('From the worker')
    })
    await open.end(created.id)

    await withPage({ profile, allowedDomains: { navigation: ['shop.test'] } }, async (page) => {
      await page.goto(siteAt('127.0.0.1', '/anything')).catch(() => undefined)

      await expect.poll(() => page.url()).toMatch(/^(?:about:blank|chrome-error:)/)
      await page.goto(siteAt('shop.test'))
    })
  })
})

describe('a proxy of a session', () => {
  let undo: AsyncDisposableStack
  let site: Site
  let open: OpenServer
  beforeAll(async () => {
    undo = new AsyncDisposableStack()
    site = undo.use(await startSite())
    const addresses = { 'public.test': '93.184.215.14', 'inside.test': '10.1.2.3', 'local.test': '127.0.0.1' }
    open = undo.use(
      await openServer({ browser: 'shell', warm: 1, allow: ['127.0.0.1'] }, async (name) => {
        if (name in addresses) return [addresses[name as keyof typeof addresses]]
        throw new Error(`no such name: ${name}`)
      }),
    )
  })
  afterAll(async () => undo.disposeAsync())

  const credentials = { username: 'some%one', password: 'p@ss:word' }

  const secret = `${credentials.username}:${credentials.password}`
  test.each([
    ['http', async () => startHttpUpstream(site.port, secret), 'GET http://public.test/ HTTP/1.1'],
    ['socks5', async () => startSocksUpstream(site.port, { credentials: secret, isSlow: true }), 'public.test:80'],
  ] as const)('is used for public hosts, with its credentials: %s', async (scheme, start, asked) => {
    await using upstream = await start()
    const proxy = { server: `${scheme}://local.test:${upstream.port}`, ...credentials }
    await using opened = await open.openPage({ proxy, blockedDomains: ['other.test'] })

    await opened.page.goto('http://public.test/')

    expect(upstream.asked.join('\n')).toContain(asked)
    const before = upstream.asked.length
    // The policy of the server applies as without the proxy, and so do the rules of the session.
    for (const host of ['inside.test', 'other.test']) {
      const tab = await opened.browser.contexts()[0]!.newPage()
      await expect(tab.goto(`http://${host}/`)).rejects.toThrow(refusedConnection)
    }
    await opened.page.goto(site.url('/'))
    expect(upstream.asked).toHaveLength(before)
  })

  test.each([
    ['http://inside.test:3128', 403, 'EGRESS_REFUSED'],
    ['socks5://10.1.2.3', 403, 'EGRESS_REFUSED'],
    ['http://nowhere.test', 502, 'EGRESS_FAILED'],
    ['http://user:secret@local.test', 400, 'BAD_REQUEST'],
    ['ftp://local.test', 400, 'BAD_REQUEST'],
    ['http://local.test/path', 400, 'BAD_REQUEST'],
  ])('is refused at the creation of the session: %s', async (server, status, code) => {
    const response = await open.create({ proxy: { server } })

    expect([response.status, await response.json()]).toMatchObject([status, { code }])
    expect(open.server.liveSessions()).toBe(0)
  })
})
