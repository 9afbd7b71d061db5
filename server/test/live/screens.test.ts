import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLiveViewFixture, type LiveViewFixture } from './live-view-fixture.ts'

/** Pixels in which the sizes of windows are counted, so that resizing restarts few screencasts. */
const sizeStep = 160

let fixture: LiveViewFixture
beforeAll(async () => {
  fixture = await openLiveViewFixture()
})
afterAll(async () => fixture[Symbol.asyncDispose]())

test('on dense screens, the picture has the pixels of the screen, and clicks reach their targets', async () => {
  await using watched = await fixture.openTestPage('/form')
  const { page, session } = watched
  let isChecked = false
  for (const deviceScaleFactor of [1, 2, 3]) {
    const viewport = { width: 240, height: 400 }
    await using view = await fixture.openView(session.interactiveLiveViewUrl, { viewport, deviceScaleFactor })
    const canvas = view.page.locator('#canvas')
    const wanted = Math.round(Math.min(600, deviceScaleFactor * ((await canvas.boundingBox())?.width ?? 0)))
    const width = async () => view.page.evaluate<number>(`document.querySelector('#canvas').width`)

    await expect.poll(width).toBeGreaterThanOrEqual(wanted)
    // And hardly more than the window needs.
    expect(await width()).toBeLessThanOrEqual(Math.min(600, deviceScaleFactor * viewport.width + sizeStep))
    await view.click(page, '[name=agree]')
    isChecked = !isChecked
    await expect.poll(() => page.isChecked('[name=agree]')).toBe(isChecked)
  }
})

test('in a frame of another site, touch and an input method reach the page', async () => {
  await using watched = await fixture.openTestPage('/form')
  const { page, session } = watched
  await using view = await fixture.openView(session.interactiveLiveViewUrl, { hasTouch: true })
  await view.page.goto(fixture.site.crossUrl(`/embed?src=${encodeURIComponent(session.interactiveLiveViewUrl ?? '')}`))
  const frame = view.page.frameLocator('iframe')
  await frame.locator('body[data-phase=live]').waitFor()
  const tap = async (selector: string): Promise<void> => {
    const [element, picture] = [
      await page.locator(selector).boundingBox(),
      await frame.locator('#canvas').boundingBox(),
    ]
    if (element === null || picture === null) throw new Error(`${selector} cannot be seen`)
    const scale = picture.width / 600
    const [x, y] = [element.x + element.width / 2, element.y + element.height / 2]
    await view.page.touchscreen.tap(picture.x + x * scale, picture.y + y * scale)
  }
  const inputMethod = await view.page.context().newCDPSession(view.page)

  await tap('[name=agree]')
  await expect.poll(() => page.isChecked('[name=agree]')).toBe(true)
  await tap('[name=name]')
  await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('name')
  await frame.getByRole('button', { name: 'Keyboard' }).tap()
  await inputMethod.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 })
  await expect.poll(() => page.inputValue('[name=name]')).toBe('にほん')
  await inputMethod.send('Input.insertText', { text: '日本' })
  await expect.poll(() => page.inputValue('[name=name]')).toBe('日本')
  await inputMethod.send('Input.insertText', { text: 'の港' })

  await expect.poll(() => page.inputValue('[name=name]')).toBe('日本の港')
})
