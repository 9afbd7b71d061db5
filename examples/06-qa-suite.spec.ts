// A suite of Playwright Test whose browser is remote: only the import is another one.
// npx playwright test 06-qa-suite (in a clone: npm run example 06), with BOWLINE_BASE_URL and BOWLINE_API_KEY as 01 needs them.
import { expect, test } from 'bowline/testing'

test.use({ baseURL: process.env['SITE'] ?? 'https://example.com' })

test('the front page has a heading', async ({ page }) => {
  await page.goto('/')

  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
})

test('a page of the site has a title', async ({ page }) => {
  await page.goto('/title?text=Jetty')

  await expect(page).toHaveTitle(/\w+/)
})
