// Runs a Playwright Test suite on a remote browser. Only the import differs.
// npx playwright test 06-qa-suite, or in a clone: npm run example 06
// Requires BOWLINE_BASE_URL and BOWLINE_API_KEY (see example 01).
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
