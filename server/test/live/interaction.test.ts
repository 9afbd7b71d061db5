import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { htmlDocument } from '../../../test/lab/pages/page.ts'
import { openLiveViewFixture, type LiveViewFixture } from './live-view-fixture.ts'
import { testReleasedInput } from './released-input.ts'

let liveViewFixture: LiveViewFixture
beforeAll(async () => {
  liveViewFixture = await openLiveViewFixture()
})
afterAll(async () => liveViewFixture[Symbol.asyncDispose]())

describe('a viewer fills a form', () => {
  test('by clicking, typing, selecting and submitting', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/form')

    await view.click(page, '[name=name]')
    await view.page.keyboard.type('Ada & Grace')
    await view.click(page, '[name=agree]')
    await view.click(page, '[name=colour]')
    await view.page.getByRole('option', { name: 'green' }).getByRole('button').click()
    await expect.poll(() => page.inputValue('[name=colour]')).toBe('green')
    await view.click(page, 'button')

    await page.waitForSelector('#result')
    expect(await page.locator('#result li').allTextContents()).toEqual(['Ada & Grace', 'on', 'green', ''])
  })

  test('by selecting with the keyboard from a list at the edge of the page', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/form')
    await page.setContent(`<select style="position: fixed; right: 0; bottom: 0"><option disabled selected>Choose a berth
      <option>one <option>two <option>the long one beside the harbour master's house, behind the second crane</select>`)
    await view.click(page, 'select')
    await view.page.getByRole('option', { name: 'one', exact: true }).waitFor()

    const [list, viewport] = [
      await view.page.locator('#choices').boundingBox(),
      await view.page.locator('#viewport').boundingBox(),
    ]
    expect((list?.x ?? 0) + (list?.width ?? 0)).toBeLessThanOrEqual((viewport?.x ?? 0) + (viewport?.width ?? 0))
    expect((list?.y ?? 0) + (list?.height ?? 0)).toBeLessThanOrEqual((viewport?.y ?? 0) + (viewport?.height ?? 0))
    await view.page.keyboard.press('ArrowDown')
    await view.page.keyboard.press('Enter')
    await expect.poll(() => page.inputValue('select')).toBe('two')
  })

  test('by selecting on a page that has replaced what reads its options', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/form')
    await page.setContent(`<select><option>one <option>two</select> <script>
      Array.from = () => ({ slice: () => ({ map: () => null }) })
      String.prototype.slice = () => 'forged'
      for (const name of ['options', 'selectedIndex'])
        Object.defineProperty(HTMLSelectElement.prototype, name, { get: () => ({ forged: true }) })
    </script>`)

    await view.click(page, 'select')
    await view.page.getByRole('option', { name: 'two', exact: true }).getByRole('button').click({ timeout: 10_000 })

    await expect.poll(() => page.evaluate(`document.querySelector('select').value`)).toBe('two')
  })

  test('by pasting from the local clipboard', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/form')
    const text = 'two lines\nand ünïcödé 🪢'
    await view.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await view.page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)

    await view.click(page, '[name=note]')
    await view.page.keyboard.press('Control+V')

    await expect.poll(() => page.inputValue('[name=note]')).toBe(text)
  })

  test('with an input method editor', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/form')
    const inputMethod = await view.page.context().newCDPSession(view.page)
    await page.evaluate(`window.seen = []
      for (const name of ['compositionstart', 'compositionupdate', 'compositionend']) {
        addEventListener(name, (event) => seen.push(name + ':' + event.data))
      }`)

    await view.click(page, '[name=name]')
    await inputMethod.send('Input.imeSetComposition', { text: 'に', selectionStart: 1, selectionEnd: 1 })
    await expect.poll(() => page.inputValue('[name=name]')).toBe('に')
    await inputMethod.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 })
    await expect.poll(() => page.inputValue('[name=name]')).toBe('にほん')
    await inputMethod.send('Input.insertText', { text: '日本' })

    await expect.poll(() => page.inputValue('[name=name]')).toBe('日本')
    const seen = await page.evaluate<readonly string[]>('seen')
    expect(seen).toContain('compositionstart:')
    expect(seen).toContain('compositionupdate:にほん')
  })

  test('with keyboard shortcuts for editing', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/form')
    await view.click(page, '[name=name]')
    await view.page.keyboard.type('wrong')

    await view.page.keyboard.press('Control+A')
    await view.page.keyboard.type('right?')
    await view.page.keyboard.press('Backspace')
    await view.page.keyboard.press('Home')
    await view.page.keyboard.press('Shift+End')
    await view.page.keyboard.press('Control+X')
    await view.page.keyboard.press('Control+Z')

    await expect.poll(() => page.inputValue('[name=name]')).toBe('right')
  })

  test('without a click into the picture, while Tab stays in the toolbar', async () => {
    const { page, session } = await liveViewFixture.openWatchedPage('/form')
    await page.locator('[name=name]').fill('')
    await page.locator('[name=name]').focus()
    await using view = await liveViewFixture.openView(session.interactiveLiveViewUrl)

    await view.page.keyboard.type('Ann!')

    await expect.poll(async () => page.inputValue('[name=name]')).toBe('Ann!')
    await using another = await liveViewFixture.openView(session.interactiveLiveViewUrl)
    await another.page.keyboard.press('Tab')
    expect(await another.page.evaluate('document.activeElement.closest("header") !== null')).toBe(true)
  })

  test('and moves to the next field with Tab, and to the address bar with Shift+Escape', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/form')
    await view.click(page, '[name=name]')

    await view.page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate('document.activeElement?.name')).toBe('agree')
    await view.page.keyboard.press('Shift+Escape')

    expect(await view.page.evaluate('document.activeElement?.id')).toBe('address')
  })
})

test('mouse moves, drags, double clicks and wheel events reach the page at the right position', async () => {
  const { page, view } = await liveViewFixture.openWatchedPage('/blocks')
  await page.evaluate(`window.seen = []
    for (const name of ['mousedown', 'mouseup', 'mousemove', 'dblclick', 'contextmenu', 'wheel']) {
      addEventListener(name, ({ clientX, clientY, button, buttons, deltaY }) => {
        const where = [clientX, clientY].map((pixels) => Math.round(pixels / 10) * 10).join()
        seen.push(name + ' ' + where + ' ' + button + '/' + buttons + (deltaY > 0 ? ' down' : ''))
      })
    }`)
  const seen = async () => page.evaluate<readonly string[]>('seen')
  const box = await view.page.locator('#canvas').boundingBox()
  const at = (x: number, y: number) =>
    [(box?.x ?? 0) + x * ((box?.width ?? 0) / 600), (box?.y ?? 0) + y * ((box?.width ?? 0) / 600)] as const

  await view.page.mouse.move(...at(100, 50))
  await view.page.mouse.down()
  await view.page.mouse.move(...at(200, 150))
  await view.page.mouse.up()
  await view.page.mouse.dblclick(...at(300, 100))
  await view.page.mouse.click(...at(400, 200), { button: 'right' })
  await view.page.mouse.wheel(0, 120)

  await expect.poll(seen).toContain('wheel 400,200 0/0 down')
  expect(await seen()).toEqual(
    expect.arrayContaining([
      'mousedown 100,50 0/1',
      'mousemove 200,150 0/1',
      'mouseup 200,150 0/0',
      'dblclick 300,100 0/0',
      'contextmenu 400,200 2/2',
    ]),
  )
})

test('keys and buttons released while the viewer is offline are released in the page', async () => {
  const { page, view, session } = await liveViewFixture.openWatchedPage('/form')
  await page.evaluate(`window.seen = []
    for (const name of ['keyup', 'mouseup']) addEventListener(name, (event) => seen.push(event.key ?? event.button))`)
  await view.click(page, '[name=name]')
  await view.page.keyboard.down('Shift')
  await view.page.mouse.down()

  // The viewer fetches its page, to learn the reason, before it reconnects.
  const pageRequest = Promise.withResolvers<() => Promise<void>>()
  const address = session.interactiveLiveViewUrl ?? ''
  await view.page.route(address, (route) => pageRequest.resolve(async () => route.continue()))
  await view.page.context().setOffline(true)
  const continueRequest = await pageRequest.promise
  await view.page.keyboard.up('Shift')
  await view.page.mouse.up()
  await view.page.context().setOffline(false)
  await continueRequest()

  await expect.poll(async () => page.evaluate('seen')).toEqual([0, 'Shift', 0])
})

testReleasedInput(() => liveViewFixture)

test('touch input taps and scrolls', async () => {
  const { page, session } = await liveViewFixture.openWatchedPage('/blocks')
  await page.setContent('<body style="height:5000px"><button onclick="document.title=\'tapped\'">Tap</button>')
  await using view = await liveViewFixture.openView(session.interactiveLiveViewUrl, {
    viewport: { width: 390, height: 700 },
    hasTouch: true,
    isMobile: true,
  })
  const cdp = await view.page.context().newCDPSession(view.page)
  const box = await view.positionOf(page, 'button')

  await view.page.touchscreen.tap(box.x, box.y)
  await expect.poll(() => page.title()).toBe('tapped')
  const [x, y] = [box.x + 100, box.y + 150]
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] })
  for (const moved of [20, 40, 60, 80, 100]) {
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [{ x, y: y - moved }] })
  }
  await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })

  await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(30)
})

describe('a dialog', () => {
  test('that no client handles is shown to viewers, and answered with a button or Enter by those with access', async () => {
    const session = await liveViewFixture.lab.createSession()
    await using acting = await liveViewFixture.openView(session.interactiveLiveViewUrl)
    await using watching = await liveViewFixture.openView(session.liveViewUrl)
    const ask = async (call: string): Promise<void> => {
      const page = htmlDocument('Asking', `<script>setTimeout(() => { document.title = ${call} })</script>`)
      await acting.page.fill('#address', `data:text/html,${encodeURIComponent(page)}`)
      await acting.page.press('#address', 'Enter')
    }

    await ask(`prompt('Which knot?', 'reef')`)
    await acting.page.getByRole('dialog').getByText('Which knot?').waitFor()
    // Replaces the default text, which is selected.
    await acting.page.keyboard.type('bowline')
    await acting.page.getByRole('dialog').getByRole('button', { name: 'OK' }).click()
    await expect.poll(() => acting.page.getByRole('tab', { selected: true }).textContent()).toBe('bowline')
    await ask(`confirm('Cast off?')`)
    await watching.page.getByRole('dialog').getByText('Cast off?').waitFor()
    await acting.page.getByRole('dialog').getByText('Cast off?').waitFor()
    const answers = await watching.page.getByRole('dialog').getByRole('button').count()
    await acting.page.keyboard.press('Enter')

    expect(answers).toBe(0)
    await expect.poll(() => acting.page.getByRole('tab', { selected: true }).textContent()).toBe('true')
    await expect.poll(() => watching.page.getByRole('dialog').count()).toBe(0)
  })

  test('that opened before the first viewer connected can be answered', async () => {
    await using testPage = await liveViewFixture.openTestPage('/blocks')
    const isOpen = Promise.withResolvers<void>()
    // The client receives the event and leaves the dialog open.
    testPage.page.on('dialog', () => isOpen.resolve())
    const answer = testPage.page.evaluate(`prompt('Who is there?')`)
    await isOpen.promise

    await using view = await liveViewFixture.openView(testPage.session.interactiveLiveViewUrl)
    await view.page.getByRole('dialog').getByText('Who is there?').waitFor()
    await view.page.getByRole('dialog').getByRole('textbox').fill('a viewer')
    await view.page.getByRole('dialog').getByRole('button', { name: 'OK' }).click()

    expect(await answer).toBe('a viewer')
    await expect.poll(() => view.page.getByRole('dialog').count()).toBe(0)
  })

  test('that opened before the page was drawn can be answered', async () => {
    await using testPage = await liveViewFixture.openTestPage('/blocks')
    const page = await testPage.page.context().newPage()
    const isOpen = Promise.withResolvers<void>()
    page.on('dialog', () => isOpen.resolve())
    const loaded = page.goto(liveViewFixture.site.url('/asks'))
    await isOpen.promise

    await using view = await liveViewFixture.openView(testPage.session.interactiveLiveViewUrl)
    await view.page.getByRole('dialog').getByRole('textbox').fill('a viewer')
    await view.page.getByRole('dialog').getByRole('button', { name: 'OK' }).click()
    await loaded

    expect(await page.title()).toBe('a viewer')
  })

  test('that the client handles is not shown to viewers', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/blocks')
    page.on('dialog', (dialog) => void dialog.accept('client'))

    const answer = await page.evaluate(`prompt('Who answers?')`)

    expect(answer).toBe('client')
    expect(await view.page.getByRole('dialog').isVisible()).toBe(false)
  })
})

describe('the toolbar', () => {
  test('opens URLs, goes back and forward, and reloads', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/title?text=First')

    await view.page.fill('#address', liveViewFixture.site.url('/title?text=Second').replace('http://', ''))
    await view.page.press('#address', 'Enter')
    await expect.poll(() => page.title()).toBe('Second')
    await view.page.getByRole('button', { name: 'Back' }).click()
    await expect.poll(() => page.title()).toBe('First')
    await view.page.getByRole('button', { name: 'Forward' }).click()
    await expect.poll(() => page.title()).toBe('Second')
    await page.waitForLoadState()
    const visits = liveViewFixture.site.requests.all.length
    const reloaded = page.waitForEvent('load')
    await view.page.getByRole('button', { name: 'Reload' }).click()
    await reloaded

    expect(liveViewFixture.site.requests.all.length).toBeGreaterThan(visits)
  })

  test('refuses URLs that clients may not open', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/title?text=First')

    for (const url of ['file:///etc/passwd', 'chrome://version', 'view-source:http://example.com']) {
      await view.page.fill('#address', url)
      await view.page.press('#address', 'Enter')

      const scheme = new URL(url).protocol
      await expect.poll(() => view.page.locator('#notice').textContent()).toContain(scheme)
      expect(await view.page.locator('#notice').textContent()).toContain('is not allowed')
      expect(await page.title()).toBe('First')
    }
  })

  test('opens and closes tabs, but never the last one', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/title?text=First')

    await view.page.getByRole('button', { name: 'New tab' }).click()
    await expect.poll(() => page.context().pages().length).toBe(2)
    await expect.poll(() => view.page.getByRole('tab', { selected: true }).textContent()).toBe('New tab')
    // Its title changes while another tab is watched.
    await page.evaluate(`document.title = 'Behind'`)
    await view.page.getByRole('button', { name: 'Close Behind' }).click()

    await expect.poll(() => page.context().pages().length).toBe(1)
    await expect.poll(() => view.page.getByRole('button', { name: /^Close/ }).count()).toBe(0)
  })
})

test('a tab opened by a click is shown', async () => {
  const { page, view } = await liveViewFixture.openWatchedPage('/links')

  await view.click(page, '#blank')

  await expect.poll(() => view.page.getByRole('tab', { selected: true }).textContent()).toBe('Blank')
})
