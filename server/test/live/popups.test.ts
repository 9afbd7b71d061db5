import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLiveViewFixture, type LiveViewFixture, type View } from './live-view-fixture.ts'

let liveViewFixture: LiveViewFixture
beforeAll(async () => {
  // A headless shell keeps the frames of other sites in the process of their page.
  liveViewFixture = await openLiveViewFixture('chromium')
})
afterAll(async () => liveViewFixture[Symbol.asyncDispose]())

describe('the list of a select element opens below it, and selects', () => {
  test('in a page that is scrolled', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/blocks')
    await page.setContent(`<body style="width: 3000px; height: 3000px">${tallSelect}`)
    await page.evaluate('scrollTo(10, 1000)')

    await view.click(page, 'select')

    await expectListAt(view, { x: 30, y: 60 })
    await view.page.getByRole('option', { name: 'two' }).getByRole('button').click()
    await expect.poll(async () => page.inputValue('select')).toBe('two')
  })

  test.each(['url', 'crossUrl'] as const)('in a frame that is scrolled, with the address of `%s`', async (address) => {
    const { site } = liveViewFixture
    const { page, view } = await liveViewFixture.openWatchedPage('/blocks')
    const src = site[address]('/frame')
    await page.setContent(`<body style="height: 3000px">
      <iframe src="${src}" style="position: absolute; left: 100px; top: 550px; border: 5px solid"></iframe>`)
    await page.evaluate('scrollTo(0, 500)')
    const [, frame] = page.frames()
    await frame?.waitForURL(src)
    await frame?.evaluate(`document.body.innerHTML = ${JSON.stringify(tallSelect)}; scrollTo(0, 1000)`)
    const select = page.frameLocator('iframe').locator('select')

    await view.click(page, select)

    // Below the border and the field.
    await expectListAt(view, { x: 100 + 5 + 40, y: 50 + 5 + 30 + 30 })
    await view.page.getByRole('option', { name: 'two' }).getByRole('button').click()
    await expect.poll(async () => select.inputValue()).toBe('two')
  })
})

describe('a notice says that viewers cannot use', () => {
  test('a file chooser in a frame of another site', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/blocks')
    const src = liveViewFixture.site.crossUrl('/frame')
    await page.setContent(`<iframe src="${src}"></iframe>`)
    const [, frame] = page.frames()
    await frame?.waitForURL(src)
    await frame?.evaluate(`document.body.innerHTML = '<input type="file">'`)

    await view.click(page, page.frameLocator('iframe').locator('input'))

    await expect.poll(async () => view.page.locator('#notice').textContent()).toContain('File choosers')
  })

  test.each([
    ['a file chooser', '<input type="file">', 'input', 'File choosers are not supported'],
    ['a color picker', '<input type="color">', 'input', 'Color pickers are not supported'],
    ['suggestions', '<input list="knots"><datalist id="knots"><option>reef</datalist>', 'input', 'suggestions'],
  ])('%s', async (_, html, selector, expected) => {
    const { page, view } = await liveViewFixture.openWatchedPage('/blocks')
    await page.setContent(`<body style="height: 3000px"><div style="padding-top: 1000px">${html}`)
    await page.evaluate('scrollTo(0, 900)')

    await view.click(page, selector)

    await expect.poll(async () => view.page.locator('#notice').textContent()).toContain(expected)
  })

  test('a date picker, but not when the text of the field is clicked', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/blocks')
    await page.setContent('<input type="date" style="width: 200px; height: 40px; border: 0; padding: 0">')
    await view.page.evaluate(`window.notices = []
      const notice = document.querySelector('#notice')
      new MutationObserver(() => notices.push(notice.textContent)).observe(notice, { childList: true })`)
    const { x, y } = await view.positionOf(page, 'input')
    const scale = ((await view.page.locator('#canvas').boundingBox())?.width ?? 0) / 600

    await view.page.mouse.click(x - 90 * scale, y)
    await view.page.mouse.click(x + 90 * scale, y)

    await expect
      .poll(async () => view.page.evaluate('notices'))
      .toEqual([expect.stringContaining('Date and time pickers are not supported')])
  })
})

const tallSelect = `<select style="position: absolute; left: 40px; top: 1030px; width: 100px; height: 30px; margin: 0">
  <option>one <option>two</select><div style="height: 3000px"></div>`

/** Waits until the list is shown at a position of the page, which is 600 pixels wide. */
async function expectListAt(view: View, position: { readonly x: number; readonly y: number }): Promise<void> {
  await view.page.locator('#choices').waitFor()
  const list = await view.page.locator('#choices').boundingBox()
  const picture = await view.page.locator('#canvas').boundingBox()
  if (list === null || picture === null) throw new Error('The list cannot be seen')
  const scale = 600 / picture.width
  expect(Math.abs((list.x - picture.x) * scale - position.x)).toBeLessThan(3)
  expect(Math.abs((list.y - picture.y) * scale - position.y)).toBeLessThan(3)
}
