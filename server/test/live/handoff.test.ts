import type { CDPSession } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openLiveViewFixture, type LiveViewFixture, type WatchedPage } from './live-view-fixture.ts'

let liveViewFixture: LiveViewFixture
beforeAll(async () => {
  liveViewFixture = await openLiveViewFixture()
})
afterAll(async () => liveViewFixture[Symbol.asyncDispose]())

/** A CDP session without the types of commands. */
interface AnyCdpSession extends Pick<CDPSession, 'detach'> {
  readonly send: (method: string, params?: object) => Promise<Record<string, unknown>>
  readonly once: (event: string, listener: (params: unknown) => void) => unknown
}

/** Opens the form in the shared session, with a CDP session of its page. */
async function openForm(): Promise<WatchedPage & { readonly cdp: AnyCdpSession }> {
  const watched = await liveViewFixture.openWatchedPage('/form')
  const cdp = (await watched.page.context().newCDPSession(watched.page)) as unknown as AnyCdpSession
  return { ...watched, cdp }
}

/** Asks for a human. Returns the event that ends the hand-off. */
async function handOff(cdp: AnyCdpSession, instructions: string): Promise<{ readonly completed: Promise<unknown> }> {
  const completed = new Promise((resolve) => cdp.once('Cloudflare.handoffComplete', resolve))
  await cdp.send('Cloudflare.handoff', { instructions })
  return { completed }
}

test('a viewer reads the instructions, uses the page, and says with the keyboard that it is done', async () => {
  const { page, view, cdp } = await openForm()
  const { completed } = await handOff(cdp, 'Sign in\nwith your card')
  const bar = view.page.getByRole('region', { name: 'Your help is needed' })
  await bar.waitFor()
  const program = page.click('[name=agree]')

  await view.click(page, '[name=name]')
  await view.page.keyboard.type('Ada')
  await expect.poll(async () => page.inputValue('[name=name]')).toBe('Ada')
  const instructions = await bar.locator('p').innerText()
  const wasChecked = await page.isChecked('[name=agree]')
  await view.page.keyboard.press('Shift+Escape')
  const focused: unknown[] = []
  for (let presses = 0; presses < 3; presses += 1) {
    await view.page.keyboard.press('Tab')
    focused.push(await view.page.evaluate(`document.activeElement.value`))
  }
  await view.page.keyboard.press('Enter')
  await program

  expect(await completed).toMatchObject({ success: true, instructions: 'Sign in\nwith your card' })
  expect(focused).toEqual(['', 'failed', 'done'])
  expect([instructions, wasChecked, await page.isChecked('[name=agree]')]).toEqual([
    'Sign in\nwith your card',
    false,
    true,
  ])
  await bar.waitFor({ state: 'hidden' })
})

test('a viewer says that it failed, with a note', async () => {
  const { view, cdp } = await openForm()
  const { completed } = await handOff(cdp, 'Solve this')

  await view.page.getByLabel('Note (optional)').fill(' The code never arrived ')
  await view.page.getByLabel('Note (optional)').press('Enter')
  await view.page.getByRole('button', { name: 'Failed' }).click()

  expect(await completed).toMatchObject({ success: false, reason: 'The code never arrived' })
})

test('a viewer of another tab is led to the one that needs help', async () => {
  const { page, view, cdp } = await openForm()
  const other = await page.context().newPage()
  const { completed } = await handOff(cdp, 'Over here')
  const tabs = view.page.getByRole('tab')
  await expect.poll(async () => tabs.count()).toBe(2)
  await tabs.filter({ hasNotText: 'Form' }).click()

  await view.page.getByRole('button', { name: 'Show the tab' }).click()

  await expect.poll(async () => view.page.getByRole('tab', { selected: true }).textContent()).toBe('Form')
  await view.page.getByRole('button', { name: 'Show the tab' }).waitFor({ state: 'hidden' })
  await view.page.getByRole('button', { name: 'Done' }).click()
  await completed
  await other.close()
})

test('a view-only viewer who joins sees that a human is needed, but cannot end it', async () => {
  const { session, cdp } = await openForm()
  const { completed } = await handOff(cdp, 'Sign in')
  await using view = await liveViewFixture.openView(session.liveViewUrl)
  const bar = view.page.getByRole('region', { name: 'A human is needed' })

  await bar.waitFor()
  const buttons = await bar.getByRole('button').count()
  await cdp.send('Cloudflare.handoffComplete')
  await completed

  expect(buttons).toBe(0)
  await bar.waitFor({ state: 'hidden' })
})

test('a link from Cloudflare.getLiveView shows its tab', async () => {
  const { page, cdp } = await openForm()
  const other = await page.context().newPage()
  await other.goto(liveViewFixture.site.url('/blocks'))
  const { devtoolsFrontendUrl } = await cdp.send('Cloudflare.getLiveView')

  await using view = await liveViewFixture.openView(String(devtoolsFrontendUrl))

  await expect.poll(async () => view.page.getByRole('tab', { selected: true }).textContent()).toBe('Form')
  await other.close()
})
