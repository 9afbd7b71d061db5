import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startModel, type Model } from '../../../test/lab/language-model.ts'
import { fixedPage, sendHtml, type Page } from '../../../test/lab/pages/page.ts'
import { startReceiver, type Receiver } from '../../../test/lab/receiver.ts'
import { startServerProcess } from '../../../test/lab/server-process.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startSite } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { createMonitor } from '../monitors/fixture.ts'

const batchPages = 20
const watchedPages = 12

describe.each([
  ['its next start', 'PGlite'],
  ['another server', 'PostgreSQL'],
])('what a killed server was at is completed by %s, in %s:', (_next, engine) => {
  const undo = new AsyncDisposableStack()
  const timeout = 90_000
  let receiver: Receiver
  let model: Model
  let lab: Lab
  let batch: string
  let check: string
  let extraction: string

  beforeAll(async () => {
    let isSilent = true
    const killing = Promise.withResolvers<void>()
    /** Pages from number `free` on respond after the kill. */
    const heldFrom =
      (free: number): Page =>
      async (exchange) => {
        const number = Number(exchange.url.searchParams.get('n'))
        if (number >= free) await killing.promise
        sendHtml(exchange, `Page ${number}`, `<h1>Page ${number}</h1><p>Some words.</p>`)
      }
    const pages = { '/page': heldFrom(8), '/watched': heldFrom(2), '/boat': fixedPage('Boat', '<h1>The boat</h1>') }
    const site = undo.use(await startSite(pages))
    const urls = (path: string, count: number) => Array.from({ length: count }, (_, n) => site.url(`${path}?n=${n}`))
    receiver = undo.use(await startReceiver())
    model = undo.use(await startModel(() => (isSilent ? undefined : '{"boat":1}')))
    const folder = undo.use(await temporaryFolder()).path
    const blobs = join(folder, 'blobs')
    const isEmbedded = engine === 'PGlite'
    const database = isEmbedded ? undefined : undo.use(await (await sharedPostgres()).createDatabase())
    const killed = undo.use(
      await startServerProcess({
        dataDir: join(folder, 'first'),
        flags: ['--llm-url', model.url, '--blobs', blobs, '--max-bulk-pages', '60', '--max-host-pages', '60'],
        env: database === undefined ? {} : { DATABASE_URL: database.url },
      }),
    )

    const { body: job } = await killed.api('POST', '/v2/batch/scrape', { urls: urls('/page', batchPages), maxAge: 0 })
    batch = `/v2/batch/scrape/${job['id']}`
    const { id } = await createMonitor(killed.api, {
      targets: [{ type: 'scrape', urls: urls('/watched', watchedPages) }],
      webhook: receiver.url(),
    })
    check = `/v2/monitor/${id}/checks/${(await killed.api('POST', `/v2/monitor/${id}/run`, {})).body['id']}`
    const { body: asked } = await killed.api('POST', '/v2/extract', { urls: [site.url('/boat')], prompt: 'x' })
    extraction = `/v2/extract/${asked['id']}`
    await Promise.all([receiver.whenReceived(2), model.whenAsked(1)])
    await vi.waitFor(async () => expect((await killed.api('GET', batch)).body).toMatchObject({ completed: 8 }), {
      timeout: 30_000,
      interval: 200,
    })
    expect((await killed.api('GET', check)).body['data']).toMatchObject({ status: 'running' })
    killed.kill('SIGKILL')
    await killed.exited
    isSilent = false
    killing.resolve()
    const dataDir = join(folder, isEmbedded ? 'first' : 'second')
    lab = undo.use(await startLab({ dataDir, databaseUrl: database?.url, blobs, llmUrl: model.url }))
  })
  afterAll(async () => undo.disposeAsync())

  const read = (path: string) => async () => (await lab.api('GET', path)).body

  test('a batch loses no page', { timeout }, async () => {
    await expect
      .poll(read(batch), { timeout, interval: 500 })
      .toMatchObject({ status: 'completed', completed: batchPages, total: batchPages, creditsUsed: batchPages })
    expect((await lab.api('GET', `${batch}?skip=5`)).body['data']).toHaveLength(batchPages - 5)
  })

  test('a check reports each page once', { timeout }, async () => {
    const data = async () => (await lab.api('GET', check)).body['data']
    await expect.poll(data, { timeout, interval: 500 }).toMatchObject({
      status: 'completed',
      actualCredits: watchedPages,
      billingStatus: 'confirmed',
      summary: { new: watchedPages },
    })
    // Events are delivered at least once: those in flight at the kill arrive twice.
    const ids = () => new Set(receiver.received.map((event) => event.body['webhookId'])).size
    await expect.poll(ids, { timeout: 20_000 }).toBe(watchedPages + 1)
    const kinds = receiver.received.map(({ body: event }) => event['data'][0].url ?? event['type'])
    expect(new Set(kinds).size).toBe(watchedPages + 1)
  })

  test('an extraction asks the model again', { timeout }, async () => {
    await expect
      .poll(read(extraction), { timeout, interval: 500 })
      .toMatchObject({ status: 'completed', data: { boat: 1 }, creditsUsed: 20 })
    expect(model.questions).toHaveLength(2)
  })

  test('and all of it is billed once', async () => {
    const { body } = await lab.api('GET', '/v2/team/credit-usage/historical')

    expect(body['periods']).toMatchObject([{ creditsUsed: batchPages + watchedPages + 20 }])
  })
})
