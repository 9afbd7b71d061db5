import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { fixedPage } from '../../../test/lab/pages/page.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'

const fixture = new AsyncDisposableStack()
let site: Site
/** A server without a free slot for sessions. */
let full: Lab
let free: Lab
beforeAll(async () => {
  const apiKey = 'cluster-key-0123456789abcdef'
  const { url: databaseUrl } = fixture.use(await (await sharedPostgres()).createDatabase())
  const { path: blobs } = fixture.use(await mkdtempDisposable(join(tmpdir(), 'bowline-blobs-')))
  site = fixture.use(await startSite({ '/order': fixedPage('Order', '<main><h1>Order</h1></main>') }))
  const options = { databaseUrl, apiKey, blobs }
  full = fixture.use(await startLab({ ...options, maxSessions: 1 }))
  free = fixture.use(await startLab({ ...options, maxSessions: 4 }))
})
afterAll(async () => fixture.disposeAsync())

const scrape = async (): Promise<string> => {
  const { body } = await free.api('POST', '/v2/scrape', { url: site.url('/order'), maxAge: 0 })
  return body['data'].metadata.scrapeId
}

test('the first interactions with a scrape at two servers share one session, which either ends', async () => {
  for (let round = 0; round < 3; round += 1) {
    const path = `/v2/scrape/${await scrape()}/interact`

    const answers = await Promise.all(
      [full, free].map(async (lab) => lab.api('POST', path, { code: 'await page.title()' })),
    )
    const { id } = (await free.api('GET', '/v2/browser?status=active')).body['sessions'][0]
    const ended = await [full, free][round % 2]!.api('DELETE', path)

    expect(answers.map(({ body }) => body)).toMatchObject([
      { success: true, sessionId: id, result: 'Order' },
      { success: true, sessionId: id, result: 'Order' },
    ])
    expect(ended.body).toMatchObject({ success: true, creditsBilled: expect.any(Number) })
  }
})

test('a request without a body creates a session on another server', async () => {
  await full.createSession({ ttl: 60 })

  const created = await full.api('POST', '/v2/browser')

  expect(created.body).toMatchObject({ success: true, cdpUrl: expect.any(String) })
  expect(free.server.liveSessions()).toBe(1)
})
