import { afterAll, beforeAll, expect, test } from 'vitest'
import { Bowline } from '../../src/index.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import type { LabDatabase } from '../lab/postgres.ts'
import { sharedPostgres } from '../lab/shared-postgres.ts'
import { startSite, type Site } from '../lab/site.ts'

const world = new AsyncDisposableStack()
let database: LabDatabase
let lab: Lab
let site: Site
beforeAll(async () => {
  database = world.use(await (await sharedPostgres()).createDatabase())
  site = world.use(await startSite())
  lab = world.use(await startLab({ databaseUrl: database.url }))
})
afterAll(async () => world.disposeAsync())

test('while PostgreSQL is away routes answer 503 and when to retry, and work again once it is back', async () => {
  const calls = [
    ['GET', '/v2/browser'],
    ['POST', '/v2/browser', {}],
    ['POST', '/v2/scrape', { url: site.url('/') }],
    ['POST', '/v2/batch/scrape', { urls: [site.url('/')] }],
    ['POST', '/v2/map', { url: site.url('/') }],
  ] as const
  {
    await using _away = await database.takeAway()
    for (const [method, path, body] of calls) {
      const { status, headers, body: answer } = await lab.api(method, path, body)
      expect({ path, status, code: answer['code'] }).toEqual({ path, status: 503, code: 'STORE_UNAVAILABLE' })
      expect(headers.get('retry-after')).toBe('2')
      expect(answer).toMatchObject({ hint: expect.stringContaining('Retry-After') })
    }
    expect((await lab.api('GET', '/readyz', undefined, {})).status).toBe(503)
  }

  await expect.poll(async () => (await lab.api('GET', '/v2/browser')).status).toBe(200)
  expect(await lab.api('POST', '/v2/scrape', { url: site.url('/') })).toMatchObject({ status: 200 })
})

test('the client waits for a PostgreSQL that comes back', async () => {
  await using bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey })
  let listing
  {
    await using _away = await database.takeAway()
    listing = bowline.sessions.list()
    expect((await lab.api('GET', '/v2/browser')).status).toBe(503)
  }

  expect(await listing).toEqual([])
})
