import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectColour, openLiveViewFixture, type LiveViewFixture } from './live-view-fixture.ts'

const [red, green, blue, yellow] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 0],
] as const

describe.each(['shell', 'chromium'] as const)('the live view of %s', (browser) => {
  let liveViewFixture: LiveViewFixture
  beforeAll(async () => {
    liveViewFixture = await openLiveViewFixture(browser)
  })
  afterAll(async () => liveViewFixture[Symbol.asyncDispose]())

  test('shows the page', async () => {
    await using testPage = await liveViewFixture.openTestPage('/blocks')

    await using view = await liveViewFixture.openView(testPage.session.liveViewUrl)

    await expectColour(view, [150, 100], red)
    await expectColour(view, [450, 100], green)
    await expectColour(view, [150, 300], blue)
    await expectColour(view, [450, 300], yellow)
  })

  test('shows changes to every viewer, including later ones', async () => {
    await using testPage = await liveViewFixture.openTestPage('/blocks')
    await using first = await liveViewFixture.openView(testPage.session.liveViewUrl)
    await using second = await liveViewFixture.openView(testPage.session.interactiveLiveViewUrl)

    await testPage.page.goto(liveViewFixture.site.url('/one-colour?colour=ff00ff'))

    await expectColour(first, [300, 200], [255, 0, 255])
    await expectColour(second, [300, 200], [255, 0, 255])
    await using third = await liveViewFixture.openView(testPage.session.liveViewUrl)
    await expectColour(third, [300, 200], [255, 0, 255])
  })

  test('follows the tab that the client uses', async () => {
    await using testPage = await liveViewFixture.openTestPage('/one-colour?colour=ff0000')
    await using view = await liveViewFixture.openView(testPage.session.liveViewUrl)
    const other = await testPage.page.context().newPage()
    await other.setViewportSize({ width: 600, height: 400 })

    await other.goto(liveViewFixture.site.url('/one-colour?colour=00ff00'))
    await expectColour(view, [300, 200], green)
    await testPage.page.bringToFront()
    await expectColour(view, [300, 200], red)
    await testPage.page.close()

    await expectColour(view, [300, 200], green)
    expect(await view.page.getByRole('tab').count()).toBe(1)
  })

  test('reports a crashed page and can reload it', async () => {
    await using testPage = await liveViewFixture.openTestPage('/blocks')
    await using view = await liveViewFixture.openView(testPage.session.interactiveLiveViewUrl)
    const cdp = await testPage.page.context().newCDPSession(testPage.page)

    cdp.send('Page.crash').catch(() => undefined)

    await expect.poll(() => view.page.locator('#overlay h1').textContent()).toBe('This page has crashed')
    await view.page.getByRole('button', { name: 'Reload' }).click()
    await expect.poll(() => view.page.locator('#overlay').isVisible()).toBe(false)
  })

  // The following tests concern the viewer and do not depend on the browser of the session.
  if (browser === 'chromium') return

  test('shows title and URL of the page', async () => {
    await using testPage = await liveViewFixture.openTestPage('/blocks')
    await using view = await liveViewFixture.openView(testPage.session.liveViewUrl)

    await testPage.page.goto(liveViewFixture.site.url('/title?text=Second'))

    await expect.poll(() => view.page.getByRole('tab', { selected: true }).textContent()).toBe('Second')
    expect(await view.page.locator('#address').inputValue()).toBe(liveViewFixture.site.url('/title?text=Second'))
  })

  test('can show another tab to one viewer, which can follow the active tab again', async () => {
    await using testPage = await liveViewFixture.openTestPage('/one-colour?colour=ff0000')
    const other = await testPage.page.context().newPage()
    await other.setViewportSize({ width: 600, height: 400 })
    await other.goto(liveViewFixture.site.url('/one-colour?colour=00ff00'))
    await using view = await liveViewFixture.openView(testPage.session.liveViewUrl)
    await using neighbour = await liveViewFixture.openView(testPage.session.liveViewUrl)

    await view.page.getByRole('tab', { name: 'Colour ff0000' }).click()
    await expectColour(view, [300, 200], red)
    await expectColour(neighbour, [300, 200], green)
    await view.page.getByRole('button', { name: 'Follow the active tab' }).click()

    await expectColour(view, [300, 200], green)
  })

  test('keeps the aspect ratio when the page or the window is resized', async () => {
    await using testPage = await liveViewFixture.openTestPage('/blocks')
    await using view = await liveViewFixture.openView(testPage.session.liveViewUrl)
    const shape = async () => {
      const box = await view.page.locator('#canvas').boundingBox()
      return box === null ? 0 : Math.round((box.width / box.height) * 10) / 10
    }

    await expect.poll(shape).toBe(1.5)
    await testPage.page.setViewportSize({ width: 400, height: 800 })
    await expect.poll(shape).toBe(0.5)
    await view.page.setViewportSize({ width: 390, height: 500 })

    await expect.poll(shape).toBe(0.5)
    const overflow = await view.page.evaluate('document.documentElement.scrollWidth > innerWidth')
    expect(overflow).toBe(false)
  })

  test('can be embedded in a page of another site', async () => {
    await using testPage = await liveViewFixture.openTestPage('/blocks')
    await using view = await liveViewFixture.openView(testPage.session.liveViewUrl)

    await view.page.goto(
      liveViewFixture.site.crossUrl(`/embed?src=${encodeURIComponent(testPage.session.liveViewUrl ?? '')}`),
    )
    const frame = view.page.frameLocator('iframe')
    await frame.locator('body[data-phase=live]').waitFor()

    expect(await frame.getByRole('tab').textContent()).toBe('Blocks')
    await expect.poll(async () => frame.locator('#screen').isVisible()).toBe(true)
  })

  test('shows the page after a reload', async () => {
    await using testPage = await liveViewFixture.openTestPage('/blocks')
    await using view = await liveViewFixture.openView(testPage.session.liveViewUrl)

    await view.page.reload()
    await view.page.waitForSelector('body[data-phase=live]')

    await expectColour(view, [450, 100], green)
  })

  test('reconnects once after the network was offline', async () => {
    await using testPage = await liveViewFixture.openTestPage('/one-colour?colour=ff0000')
    await using view = await liveViewFixture.openView(testPage.session.liveViewUrl)

    // The viewer fetches its page to learn the reason. A late response must not make it connect a
    // second time.
    const pageRequest = Promise.withResolvers<() => Promise<void>>()
    await view.page.route(testPage.session.liveViewUrl ?? '', (route) =>
      pageRequest.resolve(async () => route.continue()),
    )
    const connections: string[] = []
    view.page.on('websocket', (socket) => connections.push(socket.url()))
    await view.page.context().setOffline(true)
    await view.page.waitForSelector('body[data-phase=reconnecting]')
    await testPage.page.goto(liveViewFixture.site.url('/one-colour?colour=0000ff'))
    const answer = await pageRequest.promise
    await view.page.context().setOffline(false)
    await view.page.waitForSelector('body[data-phase=live]')
    const answered = view.page.waitForResponse(testPage.session.liveViewUrl ?? '')
    await answer()
    await answered

    await expectColour(view, [300, 200], blue)
    // Longer than its delay before it reconnects.
    await view.page.evaluate('new Promise((resolve) => setTimeout(resolve, 700))')
    expect(connections).toHaveLength(1)
  })

  test('shows the reason, duration and cost when the session ends', async () => {
    await using testPage = await liveViewFixture.openTestPage('/blocks')
    await using view = await liveViewFixture.openView(testPage.session.liveViewUrl)

    const { body } = await liveViewFixture.lab.api('DELETE', `/v2/browser/${testPage.session.id}`)

    await view.page.waitForSelector('body[data-phase=ended]')
    await expect.poll(() => view.page.locator('#overlay dd').allTextContents()).toHaveLength(2)
    const [, credits] = await view.page.locator('#overlay dd').allTextContents()
    expect(await view.page.locator('#overlay p').textContent()).toBe('It was closed by its owner.')
    expect(Number(credits)).toBe(body['creditsBilled'])
    await view.page.reload()
    expect(await view.page.locator('#overlay h1').textContent()).toBe('This session has ended')
  })
})
