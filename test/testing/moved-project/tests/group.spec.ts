import { expect, test } from 'bowline/testing'

test.describe.configure({ mode: 'serial' })

test('passes', async ({ page }) => {
  await page.goto('/title?text=Cart')
})

test('fails', async ({ page }) => {
  await expect(page).toHaveTitle('Another title', { timeout: 100 })
})

test('does not run after it', () => undefined)
