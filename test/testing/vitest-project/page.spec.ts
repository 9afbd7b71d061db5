import { withSession } from 'bowline/testing/vitest'
import { playwright } from 'bowline/playwright'
import { expect, test as base } from 'vitest'

const test = withSession(base, {
  driver: playwright,
  session: { ttl: 60, metadata: { suite: 'vitest' }, record: { console: true, keep: 'on-failure' } },
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

const extended = test.extend<{ title: string }>({
  title: async ({ remote: { page } }, use) => {
    await page.goto(`${process.env['PROJECT_SITE']}/title?text=Extended`)
    await use(await page.title())
  },
})

extended('a test with a fixture of its own on the same session', ({ title, remote: { session } }) => {
  expect(title).toBe('Extended')
  expect([...sessions]).toEqual([session.id])
})

const pages = new Set<unknown>()

test.concurrent.for([1, 2, 3])('concurrent test %i with a page of its own', async (number, { remote: { page } }) => {
  pages.add(page)
  await page.goto(`${process.env['PROJECT_SITE']}/title?text=${number}`)
  await page.waitForTimeout(100)

  expect(await page.title()).toBe(String(number))
})

test('after concurrent tests, all other pages are closed', ({ remote: { context } }) => {
  expect(pages.size).toBe(3)
  expect(context.pages()).toHaveLength(1)
})
