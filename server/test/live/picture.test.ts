import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findViolations } from '../../../test/lab/axe.ts'
import { expectColour, openLiveViewFixture, type LiveViewFixture } from './live-view-fixture.ts'

const [red, green, blue, yellow] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 0],
] as const

const screens = [
  [1280, 'light'],
  [390, 'dark'],
  [390, 'light'],
] as const

describe.each(['shell', 'chromium'] as const)('the live view of %s', (browser) => {
  let liveViewFixture: LiveViewFixture
  beforeAll(async () => {
    liveViewFixture = await openLiveViewFixture(browser)
  })
  afterAll(async () => liveViewFixture[Symbol.asyncDispose]())

  test('shows the page and its changes', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/blocks')

    await expectColour(view, [150, 100], red)
    await expectColour(view, [450, 100], green)
    await expectColour(view, [150, 300], blue)
    await expectColour(view, [450, 300], yellow)
    await page.goto(liveViewFixture.site.url('/one-colour?colour=ff00ff'))
    await expectColour(view, [300, 200], [255, 0, 255])
  })

  test('follows the tab that the client uses', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/one-colour?colour=ff0000')
    const other = await page.context().newPage()
    await other.setViewportSize({ width: 600, height: 400 })

    await other.goto(liveViewFixture.site.url('/one-colour?colour=00ff00'))
    await expectColour(view, [300, 200], green)
    await page.bringToFront()
    await expectColour(view, [300, 200], red)
    await page.close()

    await expectColour(view, [300, 200], green)
    expect(await view.page.getByRole('tab').count()).toBe(1)
  })

  test('reports a crashed page and can reload it', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/blocks')
    // Playwright does not open another address in a page that has crashed.
    const doomed = await page.context().newPage()
    await doomed.goto(liveViewFixture.site.url('/title?text=Doomed'))
    const cdp = await doomed.context().newCDPSession(doomed)

    cdp.send('Page.crash').catch(() => undefined)

    await expect.poll(() => view.page.locator('#overlay h2').textContent()).toBe('This page has crashed')
    await view.page.getByRole('button', { name: 'Reload' }).click()
    await expect.poll(() => view.page.locator('#overlay').isVisible()).toBe(false)
  })

  // The following tests concern the viewer and do not depend on the browser of the session.
  if (browser === 'chromium') return

  test('shows changes to every viewer, including later ones', async () => {
    const { page, session, view: first } = await liveViewFixture.openWatchedPage('/blocks')
    await using second = await liveViewFixture.openView(session.liveViewUrl)

    await page.goto(liveViewFixture.site.url('/one-colour?colour=ff00ff'))

    await expectColour(first, [300, 200], [255, 0, 255])
    await expectColour(second, [300, 200], [255, 0, 255])
    await using third = await liveViewFixture.openView(session.liveViewUrl)
    await expectColour(third, [300, 200], [255, 0, 255])
  })

  test('shows title and URL of the page', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/blocks')

    await page.goto(liveViewFixture.site.url('/title?text=Second'))

    await expect.poll(() => view.page.getByRole('tab', { selected: true }).textContent()).toBe('Second')
    expect(await view.page.locator('#address').inputValue()).toBe(liveViewFixture.site.url('/title?text=Second'))
  })

  test('can show another tab to one viewer, which can follow the active tab again', async () => {
    const { page, session, view } = await liveViewFixture.openWatchedPage('/one-colour?colour=ff0000')
    const other = await page.context().newPage()
    await other.setViewportSize({ width: 600, height: 400 })
    await other.goto(liveViewFixture.site.url('/one-colour?colour=00ff00'))
    await using neighbour = await liveViewFixture.openView(session.liveViewUrl)

    await view.page.getByRole('tab', { name: 'Colour ff0000' }).click()
    await expectColour(view, [300, 200], red)
    await expectColour(neighbour, [300, 200], green)
    await view.page.getByRole('button', { name: 'Follow the active tab' }).click()

    await expectColour(view, [300, 200], green)
  })

  test('keeps the aspect ratio when the page or the window is resized, also embedded in a page of another site', async () => {
    const { page, session } = await liveViewFixture.openWatchedPage('/blocks')
    await using view = await liveViewFixture.openView(session.liveViewUrl)

    await expect.poll(view.shape).toBe(1.5)
    await page.setViewportSize({ width: 400, height: 800 })
    await expect.poll(view.shape).toBe(0.5)
    await view.page.setViewportSize({ width: 390, height: 500 })

    await expect.poll(view.shape).toBe(0.5)
    expect(await view.page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false)

    await view.page.goto(liveViewFixture.site.crossUrl(`/embed?src=${encodeURIComponent(session.liveViewUrl ?? '')}`))
    const frame = view.page.frameLocator('iframe')
    await frame.locator('body[data-phase=live]').waitFor()

    expect(await frame.getByRole('tab').textContent()).toBe('Blocks')
    await expect.poll(async () => frame.locator('#screen').isVisible()).toBe(true)
  })

  test('shows the page after a reload', async () => {
    const { view } = await liveViewFixture.openWatchedPage('/blocks')

    await view.page.reload()
    await view.page.waitForSelector('body[data-phase=live]')

    await expectColour(view, [450, 100], green)
  })

  test('reconnects once after the network was offline', async () => {
    const { page, session, view } = await liveViewFixture.openWatchedPage('/one-colour?colour=ff0000')
    const url = session.interactiveLiveViewUrl ?? ''

    // The viewer fetches its page to learn the reason. A late response must not make it connect a
    // second time.
    const pageRequest = Promise.withResolvers<() => Promise<void>>()
    await view.page.route(url, (route) => pageRequest.resolve(async () => route.continue()))
    const connections: string[] = []
    view.page.on('websocket', (socket) => connections.push(socket.url()))
    await view.page.context().setOffline(true)
    await view.page.waitForSelector('body[data-phase=reconnecting]')
    await page.goto(liveViewFixture.site.url('/one-colour?colour=0000ff'))
    const answer = await pageRequest.promise
    await view.page.context().setOffline(false)
    await view.page.waitForSelector('body[data-phase=live]')
    const answered = view.page.waitForResponse(url)
    await answer()
    await answered

    await expectColour(view, [300, 200], blue)
    // Longer than its delay before it reconnects.
    await view.page.evaluate('new Promise((resolve) => setTimeout(resolve, 700))')
    expect(connections).toHaveLength(1)
  })

  test('has no accessibility violations on a desk and a phone, also with tabs, a hand-off and a dialog', async () => {
    const { session, page, view } = await liveViewFixture.openWatchedPage('/blocks')
    await page.context().newPage()
    await page.bringToFront()
    await liveViewFixture.lab.api('POST', `/v2/browser/${session.id}/handoff`, { instructions: 'Sign in' })
    await view.page.getByRole('button', { name: 'Done' }).waitFor()
    const viewport = view.page.viewportSize()!

    for (const [width, colorScheme] of screens) {
      await view.page.setViewportSize({ width, height: 800 })
      await view.page.emulateMedia({ colorScheme })
      expect(await findViolations(view.page), `${width} ${colorScheme}`).toEqual([])
      const answered = page.evaluate(`alert('Is the berth free?')`)
      await view.page.getByRole('dialog').waitFor()
      expect(await findViolations(view.page), `dialog, ${width} ${colorScheme}`).toEqual([])
      await view.page.getByRole('dialog').getByRole('button', { name: 'OK' }).click()
      await answered
      expect(await view.page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    }
    await view.page.getByRole('button', { name: 'Done' }).click()
    await view.page.setViewportSize(viewport)
    await view.page.emulateMedia({ colorScheme: null })
  })

  test('shows the reason, duration and cost when the session ends', async () => {
    const { session, view } = await liveViewFixture.openWatchedPage('/blocks')

    const { body } = await liveViewFixture.lab.api('DELETE', `/v2/browser/${session.id}`)

    await view.page.waitForSelector('body[data-phase=ended]')
    await expect.poll(() => view.page.locator('#overlay dd').allTextContents()).toHaveLength(2)
    const [, credits] = await view.page.locator('#overlay dd').allTextContents()
    expect(await view.page.locator('#overlay p').textContent()).toBe('It was ended by its owner.')
    expect(Number(credits)).toBe(body['creditsBilled'])
    expect(await findViolations(view.page)).toEqual([])
    await view.page.reload()
    expect(await view.page.locator('#overlay h2').textContent()).toBe('This session has ended')
  })
})
