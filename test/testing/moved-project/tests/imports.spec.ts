import test, { chromium, devices, expect, request, type Locator, type Page } from 'bowline/testing'

class FrontPage {
  readonly heading: Locator

  constructor(page: Page) {
    this.heading = page.getByRole('heading').first()
  }
}

test('a page object and the objects of Playwright', async ({ page, session, baseURL }) => {
  await page.goto('/')
  await using api = await request.newContext({ baseURL: baseURL ?? '' })

  expect(await new FrontPage(page).heading.count()).toBeGreaterThanOrEqual(0)
  expect(session.id).not.toBe('')
  expect((await api.get('/')).ok()).toBe(true)
  expect(devices['iPhone 13']?.isMobile).toBe(true)
  expect(chromium.name()).toBe('chromium')
})
