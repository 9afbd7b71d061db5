import { expect, test } from 'bowline/testing'

test('clicks a missing button until the timeout', async ({ page }) => {
  test.setTimeout(15_000)
  await page.getByRole('button', { name: 'Missing' }).click()
})

test('runs in Chromium', async ({ browser, browserName }) => {
  expect([browserName, browser.browserType().name()]).toEqual(['chromium', 'chromium'])
})
