import { expect, test } from 'bowline/testing'

test('expects a crash', async ({ page }) => {
  const cdp = await page.context().newCDPSession(page)
  const crash = page.waitForEvent('crash')
  // There is no response.
  cdp.send('Page.crash').catch(() => undefined)
  await crash
})

test('fails after the crash of another test', async ({ page }) => {
  await page.goto('/title?text=Cart')
  await expect(page).toHaveTitle('Another title', { timeout: 100 })
})
