import { expect, test, vi } from 'vitest'
import { startReceiver } from '../../../test/lab/receiver.ts'
import { startServerProcess, type ServerProcess } from '../../../test/lab/server-process.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { createMonitor, startChangingSite, whenEnded } from './fixture.ts'

test.concurrent.each(['PGlite', 'PostgreSQL'])(
  'a check whose server is killed is completed by the next one: each page is checked, reported and billed once, in %s',
  { timeout: 120_000 },
  async (engine) => {
    await using site = await startChangingSite()
    await using receiver = await startReceiver()
    await using folder = await temporaryFolder()
    await using database = engine === 'PGlite' ? undefined : await (await sharedPostgres()).createDatabase()
    const env = database === undefined ? {} : { DATABASE_URL: database.url }
    const start = async (): Promise<ServerProcess> => startServerProcess({ dataDir: folder.path, env })
    const paths = Array.from({ length: 12 }, (_, index) => `/page/${index}`)
    for (const path of paths) site.set(path, `<h1>Page ${path}</h1><p>Some words.</p>`)
    const killed = await start()
    const { id } = await createMonitor(killed.api, {
      targets: [{ type: 'scrape', urls: paths.map((path) => site.url(path)) }],
      webhook: receiver.url(),
    })
    const { promise: never } = Promise.withResolvers<void>()
    const { body } = await killed.api('POST', `/v2/monitor/${id}/run`, {})
    await receiver.whenReceived(2)
    site.hold(never)
    await expect
      .poll(async () => (await killed.api('GET', `/v2/monitor/${id}/checks/${body['id']}`)).body['data'].status)
      .toBe('running')
    killed.kill('SIGKILL')
    await killed.exited
    site.hold(undefined)

    await using next = await start()
    const check = await whenEnded(next.api, id, body['id'])
    // Events are delivered at least once: those in flight at the kill arrive twice.
    const ids = (): Set<unknown> => new Set(receiver.received.map((event) => event.body['webhookId']))
    await vi.waitUntil(() => ids().size === paths.length + 1, { timeout: 20_000 })

    expect(check).toMatchObject({
      status: 'completed',
      actualCredits: 12,
      billingStatus: 'confirmed',
      summary: { new: 12 },
    })
    const usage = await next.api('GET', '/v2/team/credit-usage/historical')
    expect(usage.body['periods']).toMatchObject([{ creditsUsed: 12 }])
    const kinds = receiver.received.map(({ body: event }) => event['data'][0].url ?? event['type'])
    expect(new Set(kinds).size).toBe(13)
  },
)
