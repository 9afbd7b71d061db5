import { expect, test } from 'bowline/testing'

test('loses its session once', async ({ page, session, bowline }) => {
  await page.goto('/title?text=Mole')
  if (test.info().retry === 0) await bowline.sessions.delete(session.id)

  await expect(page).toHaveTitle('Mole', { timeout: 5000 })
})
