import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openLiveViewFixture, type LiveViewFixture, type WatchedPage } from './live-view-fixture.ts'

let liveViewFixture: LiveViewFixture
let watched: WatchedPage
beforeAll(async () => {
  // A headless shell keeps the frames of other sites in the process of their page.
  liveViewFixture = await openLiveViewFixture('chromium')
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

describe('pasting from the local clipboard', () => {
  const text = '123456'
  beforeEach(async () => watched.view.page.evaluate(`navigator.clipboard.writeText('${text}')`))

  test('fires the events of a key and of a paste, with the text, and inserts it', async () => {
    const { page, view } = watched
    await page.setContent('<input>')
    await page.evaluate(`window.seen = []
      for (const name of ['keydown', 'paste', 'input', 'keyup']) addEventListener(name, (event) =>
        seen.push([name, event.code ?? event.clipboardData?.getData('text') ?? event.data].join(' ')))`)
    await view.click(page, 'input')

    await view.page.keyboard.press('Control+v')
    await view.page.keyboard.press('Enter')

    await expect.poll(async () => page.evaluate<string[]>('seen')).toContain('keyup Enter')
    const seen = await page.evaluate<string[]>('seen')
    const inOrder = ['keydown KeyV', `paste ${text}`, `input ${text}`, 'keydown Enter']
    expect(seen.filter((event) => inOrder.includes(event))).toEqual(inOrder)
    expect(seen).toContain('keyup KeyV')
    expect(await page.inputValue('input')).toBe(text)
  })

  test.each(['url', 'crossUrl'] as const)('fills a form for one-time codes in a frame, at `%s`', async (address) => {
    const { page, view } = watched
    const src = liveViewFixture.site[address]('/input')
    await page.setContent(`<iframe src="${src}"></iframe>`)
    const [, frame] = page.frames()
    await frame?.waitForURL(src)
    await frame?.evaluate(`document.body.innerHTML = '<input maxlength="1" size="1">'.repeat(6)
      const fields = [...document.querySelectorAll('input')]
      addEventListener('paste', (event) => {
        event.preventDefault()
        fields.forEach((field, index) => (field.value = event.clipboardData.getData('text')[index]))
      })`)
    await view.click(page, page.frameLocator('iframe').locator('input').first())

    await view.page.keyboard.press('Control+v')

    const values = `[...document.querySelectorAll('input')].map(({ value }) => value)`
    await expect.poll(async () => frame?.evaluate(values)).toEqual(text.split(''))
  })

  test.each(['Control+v', 'Control+Shift+v', 'Shift+Insert'])(
    'with %s uses only the local one, not that of the session',
    async (keys) => {
      const { page, view } = watched
      await page.setContent('<input value="remote"><div contenteditable style="height: 50px"></div>')
      await view.click(page, 'input')
      await view.page.keyboard.press('Control+a')
      await view.page.keyboard.press('Control+c')
      await expect.poll(clipboard).toBe('remote')
      await view.page.evaluate(`navigator.clipboard.writeText('${text}')`)
      await view.click(page, 'div')

      await view.page.keyboard.press(keys)
      await view.page.keyboard.type('!')

      await expect.poll(async () => page.textContent('div')).toBe(`${text}!`)
    },
  )

  test('inserts the text where the focus is, at the caret and in a shadow tree', async () => {
    const { page, view } = watched
    await page.setContent('<div></div>')
    await page.evaluate(`document.querySelector('div').attachShadow({ mode: 'open' }).innerHTML = '<input value="ab">'
      addEventListener('paste', (event) => { window.target = event.composedPath()[0].localName })`)
    await view.click(page, 'input')
    await view.page.keyboard.press('Home')
    await view.page.keyboard.press('ArrowRight')

    await view.page.keyboard.press('Control+v')

    await expect.poll(async () => page.inputValue('input')).toBe(`a${text}b`)
    expect(await page.evaluate('target')).toBe('input')
  })
})
