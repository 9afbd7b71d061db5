import { expect, test } from 'vitest'
import type { LiveViewFixture } from './live-view-fixture.ts'

/** Keys and buttons whose release the viewer's browser does not report as usual. */
export function testReleasedInput(liveViewFixture: () => LiveViewFixture): void {
  test('letters pressed with Command on macOS, which reports no release, are released in the page', async () => {
    const { page, session } = await liveViewFixture().openWatchedPage('/form')
    await using view = await liveViewFixture().openView(session.interactiveLiveViewUrl, {
      userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/150',
    })
    await page.evaluate(`window.seen = []
      for (const name of ['keydown', 'keyup']) addEventListener(name, ({ key }) => seen.push(name + ' ' + key))`)
    await view.click(page, '[name=name]')

    await view.page.keyboard.down('Meta')
    await view.page.dispatchEvent('#keys', 'keydown', { key: 'c', code: 'KeyC', keyCode: 67, metaKey: true })
    await view.page.keyboard.up('Meta')

    const expected = ['keydown Control', 'keydown c', 'keyup c', 'keyup Control']
    await expect.poll(async () => page.evaluate('seen')).toEqual(expected)
  })

  test('a press that the system cancels is released in the page without a click', async () => {
    const { page, view } = await liveViewFixture().openWatchedPage('/blocks')
    await page.setContent('<button style="width:200px;height:200px">Press</button>')
    await page.evaluate(`window.seen = []
      for (const name of ['mousedown', 'mouseup', 'click']) {
        addEventListener(name, ({ target }) => seen.push(name + ' ' + target.tagName), true)
      }`)
    const { x, y } = await view.positionOf(page, 'button')
    await view.page.mouse.move(x, y)
    await view.page.mouse.down()

    await view.page.dispatchEvent('#canvas', 'pointercancel', { pointerType: 'mouse', pointerId: 1 })

    await expect.poll(async () => page.evaluate('seen.filter((event) => !event.startsWith("click")).length')).toBe(2)
    expect(await page.evaluate('seen')).not.toContain('click BUTTON')
    await view.page.mouse.up()
  })

  test('the first Backspace of a virtual keyboard, and one after a composed word, reach the page', async () => {
    const { page, view } = await liveViewFixture().openWatchedPage('/input')
    const inputMethod = await view.page.context().newCDPSession(view.page)
    await page.fill('input', 'knot')
    await view.click(page, 'input')
    await view.page.keyboard.press('End')
    // Virtual keyboards edit the text, and send no key events.
    const deleteBackward = async (): Promise<unknown> => view.page.evaluate(`document.execCommand('delete')`)

    await deleteBackward()
    await expect.poll(async () => page.inputValue('input')).toBe('kno')
    await inputMethod.send('Input.imeSetComposition', { text: 'ts', selectionStart: 2, selectionEnd: 2 })
    await inputMethod.send('Input.insertText', { text: 'ts' })
    await expect.poll(async () => page.inputValue('input')).toBe('knots')
    await deleteBackward()

    await expect.poll(async () => page.inputValue('input')).toBe('knot')
  })

  test('of two fingers, the one that is lifted ends its touch in the page', async () => {
    const { page, session } = await liveViewFixture().openWatchedPage('/blocks')
    await page.setContent('<div style="width:600px;height:400px;touch-action:none"></div>')
    await page.evaluate(`window.seen = []
      const positions = (touches) => [...touches].map(({ clientX }) => Math.round(clientX / 10) * 10).join()
      addEventListener('touchend', ({ changedTouches, touches }) =>
        seen.push(positions(changedTouches) + ' lifted, left: ' + positions(touches)))`)
    await using view = await liveViewFixture().openView(session.interactiveLiveViewUrl, { hasTouch: true })
    const box = await view.page.locator('#canvas').boundingBox()
    const scale = (box?.width ?? 0) / 600
    const finger = (id: number, left: number) => ({
      id,
      x: (box?.x ?? 0) + left * scale,
      y: (box?.y ?? 0) + 100 * scale,
    })
    const cdp = await view.page.context().newCDPSession(view.page)

    await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [finger(0, 100), finger(1, 400)] })
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [finger(0, 100)] })
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })

    await expect.poll(async () => page.evaluate('seen')).toEqual(['100 lifted, left: 400', '400 lifted, left: '])
  })
}
