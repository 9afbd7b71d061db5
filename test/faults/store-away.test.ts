import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { Bowline } from '../../src/index.ts'
import { startLab, type Lab } from '../lab/lab.ts'
import type { LabDatabase } from '../lab/postgres.ts'
import { sharedPostgres } from '../lab/shared-postgres.ts'
import { startSite, type Site } from '../lab/site.ts'

const fixture = new AsyncDisposableStack()
let database: LabDatabase
let lab: Lab
let site: Site
beforeAll(async () => {
  database = fixture.use(await (await sharedPostgres()).createDatabase())
  site = fixture.use(await startSite())
  lab = fixture.use(await startLab({ databaseUrl: database.url }))
})
afterAll(async () => fixture.disposeAsync())

test('while PostgreSQL is unreachable, routes return 503 with Retry-After, and they recover once it is back', async () => {
  const calls = [
    ['GET', '/v2/browser'],
    ['POST', '/v2/browser', {}],
    ['POST', '/v2/scrape', { url: site.url('/') }],
    ['POST', '/v2/batch/scrape', { urls: [site.url('/')] }],
    ['POST', '/v2/map', { url: site.url('/') }],
  ] as const
  {
    await using _away = await database.goOffline()
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

test('the client waits until PostgreSQL is available again', async () => {
  await using bowline = new Bowline({ baseUrl: lab.server.url, apiKey: lab.server.apiKey })
  let listing
  {
    await using _away = await database.goOffline()
    listing = bowline.sessions.list()
    expect((await lab.api('GET', '/v2/browser')).status).toBe(503)
  }

  expect(await listing).toEqual([])
})

test('while PostgreSQL is unreachable, WebSockets are refused with 503 and Retry-After', async () => {
  const { id, cdpUrl, liveViewUrl } = (await lab.api('POST', '/v2/browser', {})).body
  const urls = [String(cdpUrl), String(liveViewUrl).replace('http', 'ws').replace('?', '/socket?')]
  {
    await using _away = await database.goOffline()
    for (const url of urls) {
      const [, response] = (await once(new WebSocket(url), 'unexpected-response')) as [unknown, IncomingMessage]
      expect({ url, status: response.statusCode, after: response.headers['retry-after'] }).toEqual({
        url,
        status: 503,
        after: '2',
      })
      response.destroy()
    }
  }
  await expect.poll(async () => (await lab.api('DELETE', `/v2/browser/${String(id)}`)).status).toBe(200)
})

/** Turns an ended session into one whose connection broke right after its row was inserted. */
async function makeStray(id: string): Promise<void> {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query(
    `with unbilled as (delete from ledger where subject_id = $1),
      stray as (update session set status = 'active', end_reason = null, ended_at = null, duration_ms = null,
        credits_billed = null where id = $1 returning id, team_id, reserved_credits),
      held as (insert into hold (id, team_id, credits, slot)
        select id, team_id, reserved_credits, 'session' from stray)
      update team set active_sessions = active_sessions + 1, reserved_credits = team.reserved_credits + stray.reserved_credits
      from stray where team.id = stray.team_id`,
    [id],
  )
  await client.end()
}

test('a session stored while the database connection is lost ends at no cost, and its request can be repeated', async () => {
  const create = async (key: string) => {
    const { status, body } = await lab.api(
      'POST',
      '/v2/browser',
      {},
      {
        authorization: `Bearer ${lab.server.apiKey}`,
        'x-idempotency-key': key,
      },
    )
    return { status, id: String(body['id']) }
  }
  const [repeated, forgotten] = [await create('repeated'), await create('forgotten')]
  for (const { id } of [repeated, forgotten]) {
    expect((await lab.api('DELETE', `/v2/browser/${id}`)).status).toBe(200)
    await makeStray(id)
  }

  const again = await create('repeated')

  expect(again.status).toBe(200)
  expect(again.id).not.toBe(repeated.id)
  for (const { id } of [repeated, forgotten]) {
    await expect
      .poll(async () => (await lab.api('GET', `/v2/browser/${id}`)).body, { timeout: 20_000 })
      .toMatchObject({ status: 'error', creditsBilled: 0 })
  }
  expect((await lab.api('GET', `/v2/browser/${again.id}`)).body).toMatchObject({ status: 'active' })
  expect((await lab.api('DELETE', `/v2/browser/${again.id}`)).status).toBe(200)
})
