import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openLiveViewFixture, type LiveViewFixture, type View } from './live-view-fixture.ts'

let liveViewFixture: LiveViewFixture
beforeAll(async () => {
  liveViewFixture = await openLiveViewFixture()
})
afterAll(async () => liveViewFixture[Symbol.asyncDispose]())

describe('the list of a select element opens below it, and selects', () => {
  test('in a page that is scrolled', async () => {
    const { page, view } = await liveViewFixture.openWatchedPage('/blocks')
    await page.setContent(`<body style="width: 3000px; height: 3000px">${tallSelect}`)
    await page.evaluate('scrollTo(10, 1000)')

    await view.click(page, 'select')

    await expectListBelow(view, page, page.locator('select'))
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

    await expectListBelow(view, page, select)
    await view.page.getByRole('option', { name: 'two' }).getByRole('button').click()
    await expect.poll(async () => select.inputValue()).toBe('two')
  })
})

describe('a notice says that viewers cannot use', () => {
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

/** Waits until the list is shown below an element of the page, at most a few pixels away. */
async function expectListBelow(view: View, page: Page, element: Locator): Promise<void> {
  const list = view.page.locator('#choices')
  await list.waitFor()
  const [shown, target, picture] = [
    await list.boundingBox(),
    await element.boundingBox(),
    await view.page.locator('#canvas').boundingBox(),
  ]
  if (shown === null || target === null || picture === null) throw new Error('The list cannot be seen')
  const scale = picture.width / (await page.evaluate<number>('innerWidth'))
  expect(shown.x).toBeCloseTo(picture.x + target.x * scale, -1)
  expect(Math.abs(shown.y - (picture.y + (target.y + target.height) * scale))).toBeLessThan(6)
}
