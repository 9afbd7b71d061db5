import { withSession } from 'bowline/testing/vitest'
import { playwright } from 'bowline/playwright'
import { expect, test as base } from 'vitest'

const test = withSession(base, {
  driver: playwright,
  session: { ttl: 60, record: { console: true, keep: 'on-failure' } },
})
const sessions = new Set<string>()

test('a page on a session', async ({ remote: { page, context, session } }) => {
  sessions.add(session.id)
  await page.goto(`${process.env['PROJECT_SITE']}/title?text=One`)

  expect(await page.title()).toBe('One')
  expect(context.pages()).toHaveLength(1)
})

test('another page on the same session', async ({ remote: { page, context, session } }) => {
  expect(page.url()).toBe('about:blank')
  expect(context.pages()).toHaveLength(1)
  expect([...sessions]).toEqual([session.id])
})

test.fails('a failing test', async ({ remote: { page } }) => {
  expect(await page.title()).toBe('Another title')
})
