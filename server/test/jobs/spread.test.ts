import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { sendHtml } from '../../../test/lab/pages/page.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { startHttpUpstream } from '../egress/upstream-server.ts'

// Three servers on one PostgreSQL. Each reaches the same host through its own site, which counts
// its pages.
const apiKey = 'spread-key-0123456789abcdef'
const undo = new AsyncDisposableStack()
const labs: Lab[] = []
const pagesOf: number[] = []
let running = 0
let most = 0

async function startServer(databaseUrl: string, blobs: string, index: number): Promise<Lab> {
  const site = undo.use(
    await startSite({
      '/slow': async (exchange) => {
        pagesOf[index] = (pagesOf[index] ?? 0) + 1
        running += 1
        most = Math.max(most, running)
        await sleep(150)
        running -= 1
        sendHtml(exchange, 'Slow', '<h1>Slow</h1>')
      },
    }),
  )
  const proxy = undo.use(await startHttpUpstream(site.port))
  return undo.use(
    await startLab({ databaseUrl, apiKey, blobs, proxyBasic: `http://127.0.0.1:${proxy.port}`, maxHostPages: 12 }),
  )
}

beforeAll(async () => {
  const { url } = undo.use(await (await sharedPostgres()).createDatabase())
  const blobs = undo.use(await temporaryFolder()).path
  for (const index of [0, 1, 2]) labs.push(await startServer(url, blobs, index))
})
afterAll(async () => undo.disposeAsync())

test('three servers share the pages of a batch, and the limits of a host', { timeout: 60_000 }, async () => {
  const count = 90
  const urls = Array.from({ length: count }, (_, index) => `http://site.test/slow?n=${index}`)
  const { body } = await labs[0]!.api('POST', '/v2/batch/scrape', { urls, maxAge: 0 })
  const seen: string[] = []

  // Documents are read a few at a time while the job runs: each is numbered once, so none is read twice or skipped.
  const status = await vi.waitFor(
    async () => {
      const answer = await labs[1]!.api('GET', `/v2/batch/scrape/${body['id']}?limit=7&skip=${seen.length}`)
      for (const document of answer.body['data']) seen.push(document.metadata.sourceURL)
      expect([answer.body['status'], seen.length]).toEqual(['completed', count])
      return answer.body
    },
    { timeout: 50_000, interval: 50 },
  )

  expect(status).toMatchObject({ completed: count, total: count, creditsUsed: count })
  expect(seen.toSorted()).toEqual(urls.toSorted())
  expect(pagesOf.reduce((sum, pages) => sum + pages, 0)).toBe(count)
  // A fair share is 30.
  expect(Math.min(...pagesOf)).toBeGreaterThanOrEqual(15)
  expect(most).toBeLessThanOrEqual(12)
})
