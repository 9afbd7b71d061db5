import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sendHtml } from '../../../test/lab/pages/page.ts'
import { startScrapeFixture } from '../scrape/fixture.ts'

test('sessions and renderers of scrapes have their own slots: neither waits for the other', async () => {
  const held = Promise.withResolvers<void>()
  await using fixture = await startScrapeFixture(
    { maxSessions: 1, maxPages: 1 },
    {
      '/held': async (exchange) => {
        await held.promise
        sendHtml(exchange, 'Held', '<h1>At last</h1>')
      },
    },
  )
  const { lab, site, scrape } = fixture
  const formats = ['screenshot']
  const busy = scrape('/held', { formats })
  await expect.poll(() => site.requests.all.length).toBeGreaterThan(0)

  // The only renderer is busy.
  await lab.createSession()
  const next = scrape('/held?next', { formats })
  // The only session slot is in use as well.
  expect((await lab.api('POST', '/v2/browser', {})).status).toBe(429)
  held.resolve()

  expect([(await busy).status, (await next).status]).toEqual([200, 200])
  expect(lab.server.liveSessions()).toBe(1)
})

test('at the limit of a team, waiting sessions and the pages of its batch take turns', async () => {
  await using fixture = await startScrapeFixture(
    {},
    {
      '/page': async (exchange) => {
        // A batch of pages that takes a while.
        await sleep(50)
        sendHtml(exchange, 'Page', '<h1>Page</h1>')
      },
    },
  )
  const { lab, site } = fixture
  await lab.api('POST', '/v2/teams', { name: 'press', maxConcurrency: 1 })
  const { body: created } = await lab.api('POST', '/v2/team/keys', { team: 'press' })
  const headers = { authorization: `Bearer ${created['key']}`, 'content-type': 'application/json' }
  const urls = Array.from({ length: 30 }, (_, page) => site.url(`/page?n=${page}`))
  const { body: batch } = await lab.api('POST', '/v2/batch/scrape', { urls, formats: ['rawHtml'] }, headers)
  const scraped = async () => (await lab.api('GET', `/v2/batch/scrape/${batch['id']}?limit=1`, undefined, headers)).body
  await expect.poll(async () => (await scraped())['completed']).toBeGreaterThan(0)

  const sessions = [1, 2].map(async () => lab.api('POST', '/v2/browser?wait=60', { ttl: 60 }, headers))
  const first = await Promise.race(sessions)
  const before = (await scraped())['completed'] as number
  await lab.api('DELETE', `/v2/browser/${first.body['id']}`, undefined, headers)
  const [one, two] = await Promise.all(sessions)
  const after = (await scraped())['completed'] as number

  expect([one?.status, two?.status]).toEqual([200, 200])
  expect(before).toBeLessThan(urls.length)
  expect(after).toBeGreaterThan(before)
  expect(after).toBeLessThan(urls.length)
  for (const session of [one, two]) await lab.api('DELETE', `/v2/browser/${session?.body['id']}`, undefined, headers)
  await expect.poll(async () => (await scraped())['status'], { timeout: 30_000 }).toBe('completed')
})
