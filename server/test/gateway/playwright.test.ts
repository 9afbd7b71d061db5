import { chromium, devices, type Browser, type Page } from 'playwright-core'
import { connect as connectPuppeteer, KnownDevices } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

describe.each(['shell', 'chromium'] as const)('Playwright over the gateway, on %s', (kind) => {
  let lab: Lab
  let site: Site
  let cdpUrl: string
  let browser: Browser
  beforeAll(async () => {
    lab = await startLab({ browser: kind })
    site = await startSite()
    cdpUrl = (await lab.createSession()).cdpUrl
    browser = await chromium.connectOverCDP(cdpUrl)
  })
  afterAll(async () => {
    await browser.close()
    await lab[Symbol.asyncDispose]()
    await site[Symbol.asyncDispose]()
  })

  // All tests but one share the connection and the first page.
  afterEach(async () => {
    const [page, ...others] = browser.contexts()[0]!.pages()
    for (const other of others) await other.close()
    page!.removeAllListeners('dialog')
    await page!.unrouteAll()
    await page!.goto('about:blank')
  })

  /** Runs `work` on the first page. */
  const onPage = async (work: (page: Page, browser: Browser) => Promise<void>): Promise<void> =>
    work(browser.contexts()[0]!.pages()[0]!, browser)

  test('finds a single blank page in the default context', async () => {
    await onPage(async (page, browser) => {
      expect(browser.contexts()).toHaveLength(1)
      expect(browser.contexts()[0]!.pages()).toHaveLength(1)
      expect(page.url()).toBe('about:blank')
      const isOnScreen = 'outerWidth <= screen.width && outerHeight <= screen.height'
      expect(await page.evaluate(`[innerWidth, innerHeight, ${isOnScreen}]`)).toEqual([1280, 720, true])
    })
  })

  const pointers = `['(hover: hover)', '(any-hover: hover)', '(pointer: fine)', '(any-pointer: fine)', '(hover: none)',
    '(pointer: coarse)'].filter((query) => matchMedia(query).matches)`
  const mouse = ['(hover: hover)', '(any-hover: hover)', '(pointer: fine)', '(any-pointer: fine)']

  test('reports a mouse, and a touch screen on an emulated phone', async () => {
    await onPage(async (page, browser) => {
      const phone = await browser.newContext(devices['iPhone 13'])

      expect(await page.evaluate(pointers)).toEqual(mouse)
      expect(await (await phone.newPage()).evaluate(pointers)).toEqual(['(hover: none)', '(pointer: coarse)'])
      await phone.close()
    })
    const puppeteer = await connectPuppeteer({ browserWSEndpoint: cdpUrl, defaultViewport: null })
    const [page] = await puppeteer.pages()
    expect(await page!.evaluate(pointers)).toEqual(mouse)
    await page!.emulate(KnownDevices['iPhone 13'])
    expect(await page!.evaluate(pointers)).toEqual(['(hover: none)', '(pointer: coarse)'])
    await puppeteer.disconnect()
  })

  test('intercepts requests of back navigations', async () => {
    await onPage(async (page) => {
      await page.goto(site.url('/title?text=First'))
      await page.goto(site.url('/title?text=Second'))
      await page.route('**/title?text=First', async (route) =>
        route.fulfill({ body: 'made up', contentType: 'text/html' }),
      )

      await page.goBack()

      expect(await page.innerText('body')).toBe('made up')
    })
  })

  test('navigates, fills, clicks and reads', async () => {
    await onPage(async (page) => {
      await page.goto(site.url('/form'))
      await page.locator('input').first().fill('Ada')
      await page.locator('form button, form input[type=submit]').first().click()
      await page.waitForURL(/form\/result/)

      expect(await page.content()).toContain('Ada')
    })
  })

  test('creates contexts that do not share cookies', async () => {
    await onPage(async (_page, browser) => {
      const [one, other] = [await browser.newContext(), await browser.newContext()]
      await one.addCookies([{ name: 'who', value: 'one', url: site.url('/') }])
      const page = await other.newPage()
      await page.goto(site.url('/'))

      expect(await other.cookies()).toEqual([])
      expect((await one.cookies())[0]).toMatchObject({ value: 'one' })
      await one.close()
      await other.close()
    })
  })

  test('evaluates in frames of the same and of another origin', async () => {
    await onPage(async (page) => {
      await page.goto(site.url('/frames'))
      await expect.poll(() => page.frames().length).toBeGreaterThanOrEqual(3)

      const texts = await Promise.all(page.frames().map(async (frame) => frame.evaluate<string>('location.hostname')))
      expect(new Set(texts)).toEqual(new Set(['127.0.0.1', 'localhost']))
    })
  })

  test('sees workers and popups', async () => {
    await onPage(async (page, browser) => {
      const worker = page.waitForEvent('worker')
      await page.goto(site.url('/worker'))
      expect((await worker).url()).toContain('worker.js')

      await page.goto(site.url('/popup'))
      const popup = page.waitForEvent('popup')
      await page.locator('#open').click()
      expect(await (await popup).title()).toBe('Opened')
      expect(browser.contexts()[0]!.pages()).toHaveLength(2)
    })
  })

  test('answers dialogs', async () => {
    await onPage(async (page) => {
      page.on('dialog', (dialog) => void dialog.accept('typed'))

      expect(await page.evaluate(`prompt('name?')`)).toBe('typed')
      expect(await page.evaluate(`confirm('sure?')`)).toBe(true)
    })
  })

  test('intercepts requests', async () => {
    await onPage(async (page) => {
      await page.route('**/made-up', async (route) => route.fulfill({ body: 'fulfilled', contentType: 'text/plain' }))
      await page.route('**/echo**', async (route) => route.abort())
      await page.goto(site.url('/'))

      expect(await page.evaluate(`fetch('/made-up').then((answer) => answer.text())`)).toBe('fulfilled')
      await expect(page.evaluate(`fetch('/echo')`)).rejects.toThrow('Failed to fetch')
    })
  })

  test('takes screenshots and opens CDP sessions', async () => {
    await onPage(async (page, browser) => {
      await page.goto(site.url('/'))
      const picture = await page.screenshot()
      const cdp = await browser.newBrowserCDPSession()
      const version = await cdp.send('Browser.getVersion')
      const pageCdp = await page.context().newCDPSession(page)
      const { result } = await pageCdp.send('Runtime.evaluate', { expression: 'document.title' })

      expect(picture.subarray(1, 4).toString()).toBe('PNG')
      expect(version.product).toContain('Chrome')
      expect(result.value).toBe('Plain')
    })
  })

  test('finds its pages again after it reconnects', async () => {
    await onPage(async (page) => {
      await page.goto(site.url('/title?text=Still here'))
    })

    const again = await chromium.connectOverCDP(cdpUrl)
    expect(await again.contexts()[0]!.pages()[0]!.title()).toBe('Still here')
    await again.close()
  })

  test('reports a crashed page, and the session continues', async () => {
    await onPage(async (page, browser) => {
      const other = await browser.contexts()[0]!.newPage()
      const crashed = other.waitForEvent('crash')
      other.goto('chrome://crash').catch(() => undefined)
      // The policy refuses chrome: URLs, so the renderer is crashed by a CDP command.
      const cdp = await other.context().newCDPSession(other)
      cdp.send('Page.crash').catch(() => undefined)
      await crashed

      await page.goto(site.url('/'))
      expect(await page.title()).toBe('Plain')
    })
  })
})
