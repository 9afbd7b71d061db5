import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { chromium, type Browser, type Page } from 'playwright-core'
import { connect as connectPuppeteer, type Frame } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { attachToTarget } from '../../src/cdp/targets.ts'
import { launchBrowser } from '../../src/browsers/launch.ts'
import { netErrors } from '../../src/egress/net-errors.ts'
import { findFreePort } from '../../../test/lab/free-port.ts'
import { startLab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { openBrowserFixture } from '../browsers/browser-fixture.ts'
import { selfSigned } from './certificate.ts'
import { startRawServer } from './raw-client.ts'
import { failureNamed, openTestProxy } from './open-test-proxy.ts'

/** A name that SOCKS5 cannot carry. */
const longName = `${'label.'.repeat(50)}invalid`

/** Reasons in `Fetch.requestPaused` without a proxy. All others are `Failed`. */
const directReasons: Readonly<Record<string, string>> = {
  ERR_ADDRESS_UNREACHABLE: 'AddressUnreachable',
  ERR_CONNECTION_REFUSED: 'ConnectionRefused',
  ERR_CONNECTION_RESET: 'ConnectionReset',
  ERR_NAME_NOT_RESOLVED: 'NameNotResolved',
}

describe.each(['shell', 'chromium'] as const)('%s', (kind) => {
  test('reports each cause of a failed connection with its own error code', async () => {
    await using host = await openBrowserFixture(kind)
    await using proxy = openTestProxy(async ({ host: name }) => {
      throw failureNamed(name)
    })
    await using browser = await launchBrowser(host, { openProxyEndpoint: proxy.openProxyEndpoint })
    const { call, onEvent } = await attachToTarget(browser.router, browser.parkedTargetId)
    await call('Network.enable')
    const socketError = async (url: string): Promise<unknown> => {
      const failed = Promise.withResolvers<unknown>()
      using _ = {
        [Symbol.dispose]: onEvent(({ method, params }) => {
          if (method === 'Network.webSocketFrameError') failed.resolve(params.errorMessage)
        }),
      }
      await call('Runtime.evaluate', { expression: `void new WebSocket(${JSON.stringify(url)})` })
      return await failed.promise
    }

    // Both browsers share the code that maps errors, and full Chromium renders error pages slowly.
    const tried = netErrors.filter((_, index) => kind === 'shell' || index % 4 === 0)
    const pausedReason = async (url: string): Promise<unknown> => {
      const paused = Promise.withResolvers<unknown>()
      using _ = {
        [Symbol.dispose]: onEvent(({ method, params }) => {
          if (method !== 'Fetch.requestPaused') return
          paused.resolve(params.responseErrorReason)
          call('Fetch.continueRequest', { requestId: params.requestId }).catch(() => undefined)
        }),
      }
      await call('Fetch.enable', { patterns: [{ urlPattern: '*', requestStage: 'Response' }] })
      await call('Page.navigate', { url })
      await call('Fetch.disable')
      return paused.promise
    }

    const reasons: Record<string, unknown> = {}
    const reported: Record<string, readonly unknown[]> = {}
    for (const netError of tried) {
      const name = `${netError.toLowerCase().replaceAll('_', '-')}.example`
      const http = await call('Page.navigate', { url: `http://${name}/` })
      const https = await call('Page.navigate', { url: `https://${name}/` })
      reasons[netError] = await pausedReason(`https://${name}/`)
      await call('Page.navigate', { url: 'about:blank' })
      reported[netError] = [http.errorText, https.errorText, await socketError(`ws://${name}/`)].map((text) =>
        /ERR_\w+|tunnel/.exec(String(text))?.at(0),
      )
    }

    expect(reasons).toEqual(Object.fromEntries(tried.map((each) => [each, directReasons[each] ?? 'Failed'])))
    expect(reported).toEqual(
      Object.fromEntries(
        tried.map((each) => [
          each,
          // Chromium reports this error as a sentence.
          [each, each, /_(?:TUNNEL|PROXY)_/.test(each) ? 'tunnel' : each],
        ]),
      ),
    )
  })

  describe('in a session', () => {
    let undo: AsyncDisposableStack
    let site: Site
    let cdpUrl: string
    let browser: Browser
    const urls: Record<string, string> = {}

    beforeAll(async () => {
      undo = new AsyncDisposableStack()
      const resets = undo.use(await startRawServer((socket) => socket.on('data', () => socket.resetAndDestroy())))
      const closes = undo.use(await startRawServer((socket) => socket.on('data', () => socket.end())))
      // Servers of other tests do not take it, whose ports are refused in another way.
      const closedPort = await findFreePort()
      const secure = createHttpsServer(selfSigned).listen(0, '127.0.0.1')
      await once(secure, 'listening')
      undo.defer(() => void secure.close())
      site = undo.use(await startSite())
      const lab = undo.use(await startLab({ browser: kind, allow: ['127.0.0.1'], warm: 0 }))
      cdpUrl = (await lab.createSession()).cdpUrl
      browser = undo.use(await chromium.connectOverCDP(cdpUrl))
      Object.assign(urls, {
        'a closed port': `http://127.0.0.1:${closedPort}/`,
        'a closed port over https': `https://127.0.0.1:${closedPort}/`,
        'an unknown name': 'http://nowhere.invalid/',
        'an unknown name over https': 'https://nowhere.invalid/',
        'a name with a star': 'http://a%2Ab.invalid/',
        'a name with a quote over https': 'https://a"b.invalid/',
        'a long name': `http://${longName}/`,
        'a long name over https': `https://${longName}/`,
        'a reset connection': `http://127.0.0.1:${resets.port}/`,
        'a reset connection over https': `https://127.0.0.1:${resets.port}/`,
        'a closed connection': `http://127.0.0.1:${closes.port}/`,
        'a closed connection over https': `https://127.0.0.1:${closes.port}/`,
        'a server without TLS': site.url('/').replace('http:', 'https:'),
        'a self-signed certificate': `https://127.0.0.1:${(secure.address() as AddressInfo).port}/`,
        'a refused address': 'http://10.0.0.1/',
        'a refused address over https': 'https://10.0.0.1/',
        'a redirect to a closed port': site.url(
          `/redirect?to=${encodeURIComponent(`http://127.0.0.1:${closedPort}/`)}`,
        ),
        'a redirect to a refused address': site.url('/redirect?to=http://10.0.0.1/'),
      })
    })
    afterAll(async () => undo.disposeAsync())

    const expected = {
      'a closed port': 'net::ERR_CONNECTION_REFUSED',
      'a closed port over https': 'net::ERR_CONNECTION_REFUSED',
      'an unknown name': 'net::ERR_NAME_NOT_RESOLVED',
      'an unknown name over https': 'net::ERR_NAME_NOT_RESOLVED',
      'a name with a star': 'net::ERR_NAME_NOT_RESOLVED',
      'a name with a quote over https': 'net::ERR_NAME_NOT_RESOLVED',
      'a long name': 'net::ERR_NAME_NOT_RESOLVED',
      'a long name over https': 'net::ERR_NAME_NOT_RESOLVED',
      'a reset connection': 'net::ERR_CONNECTION_RESET',
      'a reset connection over https': 'net::ERR_CONNECTION_RESET',
      'a closed connection': 'net::ERR_EMPTY_RESPONSE',
      'a closed connection over https': 'net::ERR_CONNECTION_CLOSED',
      'a server without TLS': 'net::ERR_SSL_PROTOCOL_ERROR',
      'a self-signed certificate': 'net::ERR_CERT_AUTHORITY_INVALID',
      'a refused address': 'net::ERR_BLOCKED_BY_ADMINISTRATOR',
      'a refused address over https': 'net::ERR_BLOCKED_BY_ADMINISTRATOR',
      'a redirect to a closed port': 'net::ERR_CONNECTION_REFUSED',
      'a redirect to a refused address': 'net::ERR_BLOCKED_BY_ADMINISTRATOR',
    }

    /** Those whose error pages are drawn, which takes full Chromium long. */
    const opened =
      kind === 'shell'
        ? Object.keys(expected)
        : [
            'a closed port over https',
            'a self-signed certificate',
            'a refused address',
            'a redirect to a refused address',
          ]

    const codesOf = (errors: Readonly<Record<string, string>>): object =>
      Object.fromEntries(Object.entries(errors).map(([name, text]) => [name, /net::ERR_\w+/.exec(text)?.at(0) ?? text]))

    const messageOf = async (working: Promise<unknown>): Promise<string> =>
      working.then(
        () => 'it succeeded',
        (error: unknown) => (error as Error).message,
      )

    /** An expression that loads an image from each URL and resolves when all have failed. */
    const images =
      (): string => `Promise.all(${JSON.stringify(Object.values(urls))}.map((url) => new Promise((done) => {
      const image = new Image(); image.onerror = image.onload = done; image.src = url })))`

    const isErrorPage = (frame: { url: () => string }): boolean => frame.url().startsWith('chrome-error:')

    /** Opens an address that fails and waits for its error page. */
    const failIn = async (page: Page, url: string): Promise<string> => {
      const shown = page.waitForEvent('framenavigated', isErrorPage)
      const message = await messageOf(page.goto(url))
      await shown
      return message
    }

    test('Playwright sees the errors of a direct connection', async () => {
      const context = browser.contexts()[0]!
      const [page, failing] = [await context.newPage(), await context.newPage()]
      const errors: Record<string, string> = {}
      for (const name of opened) errors[name] = await failIn(failing, urls[name]!)
      const failed: Record<string, string> = {}
      const nameOf = new Map(Object.entries(urls).map(([name, url]) => [url, name]))
      const consoleTexts: string[] = []
      page.on('console', (message) => consoleTexts.push(message.text()))
      await page.goto(site.url('/'))
      page.on('requestfailed', (request) => {
        const first = request.redirectedFrom() ?? request
        failed[nameOf.get(first.url()) ?? first.url()] = request.failure()!.errorText
      })
      await page.evaluate(images())
      await page.title()

      expect(codesOf(errors)).toEqual(
        Object.fromEntries(Object.entries(expected).filter(([name]) => opened.includes(name))),
      )
      expect(failed).toEqual(expected)
      expect(errors['a refused address']).toContain('--allow')
      expect(consoleTexts.join('\n')).toContain('net::ERR_BLOCKED_BY_ADMINISTRATOR')
      expect(consoleTexts.join('\n')).not.toMatch(/ERR_(?:RESPONSE_HEADERS|SOCKS|TUNNEL|PROXY)/)
    })

    // Both browsers send the same messages, and the server changes them.
    if (kind === 'chromium') return

    test('a request that a client sends to another URL fails with the error of that URL', async () => {
      const page = await browser.contexts()[0]!.newPage()
      const failed: string[] = []
      page.on('requestfailed', (request) => failed.push(request.failure()!.errorText))
      await page.route('**/to-closed', async (route) => route.continue({ url: urls['a closed port']! }))
      await page.route('**/to-unknown', async (route) => route.continue({ url: urls['an unknown name']! }))

      const errors = {
        closed: await failIn(page, site.url('/to-closed')),
        unknown: await failIn(page, site.url('/to-unknown')),
      }

      const codes = ['net::ERR_CONNECTION_REFUSED', 'net::ERR_NAME_NOT_RESOLVED']
      expect(Object.values(codesOf(errors))).toEqual(codes)
      expect(failed).toEqual(codes)
    })

    test('a resource that a client loads fails with the name and the number of the error', async () => {
      const page = await browser.contexts()[0]!.newPage()
      await page.goto(site.url('/'))
      const cdp = await page.context().newCDPSession(page)
      const { frameTree } = await cdp.send('Page.getFrameTree')
      const load = async (url: string): Promise<unknown> => {
        const options = { disableCache: true, includeCredentials: false }
        const { resource } = await cdp.send('Network.loadNetworkResource', {
          frameId: frameTree.frame.id,
          url,
          options,
        })
        return [resource.netErrorName, resource.netError]
      }

      expect(await load(urls['a closed port']!)).toEqual(['net::ERR_CONNECTION_REFUSED', -102])
      expect(await load(urls['an unknown name over https']!)).toEqual(['net::ERR_NAME_NOT_RESOLVED', -105])
    })

    test('after a failure, a malformed response of another site keeps its own error, and results their text', async () => {
      const heads = ['Location: /a\r\nLocation: /b', 'Content-Length: 1\r\nContent-Length: 2']
      await using malformed = await startRawServer((socket) =>
        socket.on('data', (data) =>
          socket.end(`HTTP/1.1 302 Found\r\n${heads[data.includes('/locations') ? 0 : 1]}\r\n\r\n`),
        ),
      )
      const context = browser.contexts()[0]!
      const [page, failing] = [await context.newPage(), await context.newPage()]
      const failed: string[] = []
      page.on('requestfailed', (request) => failed.push(request.failure()!.errorText))
      await failIn(failing, urls['a closed port']!)
      await failIn(failing, urls['an unknown name']!)
      const errors = {
        locations: await failIn(failing, `http://127.0.0.1:${malformed.port}/locations`),
        lengths: await failIn(failing, `http://127.0.0.1:${malformed.port}/lengths`),
      }
      await page.goto(site.url('/'))
      await page.evaluate(`fetch('http://127.0.0.1:${malformed.port}/locations').catch(() => {})`)
      await page.title()
      const value = { frameId: 'f', errorText: 'net::ERR_RESPONSE_HEADERS_MULTIPLE_LOCATION' }
      const inPage = await context.newCDPSession(failing)
      const evaluated = await inPage.send('Runtime.evaluate', {
        expression: `(${JSON.stringify(value)})`,
        returnByValue: true,
      })

      expect(codesOf(errors)).toEqual({
        locations: 'net::ERR_RESPONSE_HEADERS_MULTIPLE_LOCATION',
        lengths: 'net::ERR_RESPONSE_HEADERS_MULTIPLE_CONTENT_LENGTH',
      })
      expect(failed).toEqual(['net::ERR_RESPONSE_HEADERS_MULTIPLE_LOCATION'])
      expect(evaluated.result.value).toEqual(value)
    })

    test('Puppeteer sees the errors of a direct connection', async () => {
      const browser = await connectPuppeteer({ browserWSEndpoint: cdpUrl, defaultViewport: null })
      const failing = await browser.newPage()
      const errors: Record<string, string> = {}
      for (const [name, url] of Object.entries(urls)) {
        const shown = Promise.withResolvers<void>()
        const onNavigated = (frame: Frame): void => void (isErrorPage(frame) && shown.resolve())
        failing.on('framenavigated', onNavigated)
        errors[name] = await messageOf(failing.goto(url))
        await shown.promise
        failing.off('framenavigated', onNavigated)
      }
      const page = await browser.newPage()
      const failed: Record<string, string> = {}
      const nameOf = new Map(Object.entries(urls).map(([name, url]) => [url, name]))
      await page.goto(site.url('/'))
      page.on('requestfailed', (request) => {
        const first = request.redirectChain()[0] ?? request
        failed[nameOf.get(first.url()) ?? first.url()] = request.failure()!.errorText
      })
      await page.evaluate(images())
      await page.title()
      await browser.disconnect()

      expect(codesOf(errors)).toEqual(expected)
      expect(failed).toEqual(expected)
      expect(errors['a refused address']).toContain('--allow')
    })
  })
})
