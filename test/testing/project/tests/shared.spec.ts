import { expect, test } from 'bowline/testing'

test('signed in', async ({ page }) => {
  await page.goto('/title?text=Berth')

  await expect(page).toHaveTitle('Berth')
  expect(await page.evaluate('document.cookie')).toContain('user=ann')
  await page.evaluate('document.cookie = "left=over"')
})

test('apart', async ({ page }) => {
  await page.goto('/')

  expect(await page.evaluate('document.cookie')).toBe('user=ann')
})

test('fails on every attempt', async ({ page }) => {
  await page.goto('/')
  await page.evaluate('console.warn("rocks ahead")')

  await expect(page).toHaveTitle('Another title', { timeout: 100 })
})
