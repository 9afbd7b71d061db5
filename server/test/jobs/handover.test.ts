import { expect, test } from 'vitest'
import { startLab } from '../../../test/lab/lab.ts'
import { sendHtml } from '../../../test/lab/pages/page.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

test('of two servers on one PostgreSQL, one continues the work that the other leaves when it stops', async () => {
  const stopping = Promise.withResolvers<void>()
  await using site = await startSite({
    '/page': async (exchange) => {
      const number = Number(exchange.url.searchParams.get('n'))
      if (number >= 4) await stopping.promise
      sendHtml(exchange, `Page ${number}`, `<h1>Page ${number}</h1>`)
    },
  })
  await using database = await (await sharedPostgres()).createDatabase()
  await using blobs = await temporaryFolder()
  const apiKey = 'handover-key-0123456789'
  // Held pages must not keep the others waiting.
  const limits = { maxBulkPages: 60, maxHostPages: 60 }
  const serve = async () => startLab({ ...limits, databaseUrl: database.url, apiKey, blobs: blobs.path })
  const first = await serve()
  await using second = await serve()
  const urls = Array.from({ length: 20 }, (_, n) => site.url(`/page?n=${n}`))
  const { body } = await first.api('POST', '/v2/batch/scrape', { urls, maxAge: 0 })
  const read = async () => (await second.api('GET', `/v2/batch/scrape/${body['id']}`)).body
  await expect.poll(read).toMatchObject({ completed: 4 })

  await first[Symbol.asyncDispose]()
  stopping.resolve()

  await expect.poll(read, { timeout: 50_000, interval: 200 }).toMatchObject({
    status: 'completed',
    completed: 20,
    creditsUsed: 20,
  })
  const usage = await second.api('GET', '/v2/team/credit-usage/historical')
  expect(usage.body['periods']).toMatchObject([{ creditsUsed: 20 }])
})
