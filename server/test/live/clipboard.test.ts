import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openLiveViewFixture, type LiveViewFixture, type WatchedPage } from './live-view-fixture.ts'

let liveViewFixture: LiveViewFixture
let watched: WatchedPage
beforeAll(async () => {
  liveViewFixture = await openLiveViewFixture()
})
beforeEach(async () => {
  watched = await liveViewFixture.openWatchedPage('/blocks')
  await watched.view.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await watched.view.page.evaluate(`navigator.clipboard.writeText('earlier')`)
})
afterAll(async () => liveViewFixture[Symbol.asyncDispose]())

/** The text in the clipboard of the viewer. */
const clipboard = async (): Promise<string> => watched.view.page.evaluate<string>('navigator.clipboard.readText()')

describe('the local clipboard receives', () => {
  test('text that is copied in the page', async () => {
    const { page, view } = watched
    await page.setContent('<input value="a bowline holds">')
    await view.click(page, 'input')

    await view.page.keyboard.press('Control+a')
    await view.page.keyboard.press('Control+c')

    await expect.poll(clipboard).toBe('a bowline holds')
  })

  test('text that is cut, at once after it was selected', async () => {
    const { page, view } = watched
    await page.setContent('<input value="a bowline holds">')
    await view.click(page, 'input')

    await view.page.keyboard.press('Control+a')
    await view.page.keyboard.press('Control+x')
    await view.page.keyboard.type('next')

    await expect.poll(clipboard).toBe('a bowline holds')
    await expect.poll(async () => page.inputValue('input')).toBe('next')
  })

  test.each(['url', 'crossUrl'] as const)(
    'text that is copied in a frame with the address of `%s`',
    async (address) => {
      const { page, view } = watched
      const src = liveViewFixture.site[address]('/input')
      await page.setContent(`<iframe src="${src}"></iframe>`)
      const field = page.frameLocator('iframe').locator('input')
      await field.fill('inside a frame')
      await view.click(page, field)

      await view.page.keyboard.press('Control+a')
      await view.page.keyboard.press('Control+c')

      await expect.poll(clipboard).toBe('inside a frame')
    },
  )
})
