import { expect, test, type Page } from 'bowline/testing'

test.describe.configure({ mode: 'serial' })

let page: Page

test.beforeAll(async ({ browser }) => {
  page = await browser.newPage()
})

test('opens the page', async ({ baseURL }) => {
  await page.goto(`${baseURL}/title?text=Cart`)
})

test('fails on the page', async () => {
  await expect(page).toHaveTitle('Another title', { timeout: 100 })
})
