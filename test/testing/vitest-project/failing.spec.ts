import { withSession } from 'bowline/testing/vitest'
import { playwright } from 'bowline/playwright'
import { expect, test as base } from 'vitest'

const test = withSession(base, {
  driver: playwright,
  session: { ttl: 60, metadata: { suite: 'failing' }, record: { console: true, keep: 'on-failure' } },
})

test('an unexpected failure', async ({ remote: { page } }) => {
  expect(await page.title()).toBe('Another title')
})

let attempts = 0
test('passes on its retry', { retry: 1 }, async ({ remote: { page } }) => {
  attempts += 1
  expect([attempts, await page.title()]).toEqual([2, ''])
})
