import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { sql } from 'kysely'
import { openStore } from '../../src/store/open.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { startServerProcess, type ServerProcess } from '../../../test/lab/server-process.ts'
import { startSite, type Site } from '../../../test/lab/site.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { makePages } from './fixture.ts'

const fixture = new AsyncDisposableStack()
let site: Site
beforeAll(async () => {
  site = fixture.use(await startSite(makePages().pages))
})
afterAll(async () => fixture.disposeAsync())

const count = 40
async function start(server: ServerProcess): Promise<string> {
  const urls = Array.from({ length: count }, (_, index) => site.url(`/page?n=${index}`))
  const { status, body } = await server.api('POST', '/v2/batch/scrape', { urls, maxAge: 0 })
  expect(status).toBe(200)
  return `/v2/batch/scrape/${body['id']}`
}

async function whenCompleted(server: ServerProcess, path: string, atLeast: number) {
  return vi.waitFor(
    async () => {
      const { body } = await server.api('GET', path)
      expect(body['completed']).toBeGreaterThanOrEqual(atLeast)
      return body
    },
    { timeout: 90_000, interval: 50 },
  )
}

/** Expects one ledger entry and one credit per page. */
async function expectBilledOnce(options: { readonly dataDir: string; readonly databaseUrl?: string }) {
  await using store = await openStore(options)
  const { rows } = await sql<{ bills: number; credits: number }>`
    select count(*) as bills, sum(credits)::integer as credits from ledger`.execute(store.db)
  expect(rows).toEqual([{ bills: count, credits: count }])
}

test.concurrent(
  'a batch whose server is killed repeatedly loses no page and bills none twice',
  { timeout: 120_000 },
  async () => {
    await using folder = await temporaryFolder()
    const dataDir = folder.path
    let path = ''
    for (const atLeast of [5, 20]) {
      await using server = await startServerProcess({ dataDir })
      if (path === '') path = await start(server)
      await whenCompleted(server, path, atLeast)
      server.kill('SIGKILL')
      await server.exited
    }
    {
      await using server = await startServerProcess({ dataDir })
      const body = await whenCompleted(server, path, count)
      expect(body).toMatchObject({ status: 'completed', total: count, creditsUsed: count })
      const second = await server.api('GET', `${path}?skip=25`)
      expect(second.body['data']).toHaveLength(count - 25)
      server.kill('SIGTERM')
      await server.exited
    }

    await expectBilledOnce({ dataDir })
  },
)

const ends = ['SIGTERM', 'SIGKILL'] as const
const name = 'of two servers on one PostgreSQL, one continues the work that the other leaves at %s'
test.concurrent.each(ends)(name, { timeout: 120_000 }, async (end) => {
  await using database = await (await sharedPostgres()).createDatabase()
  await using folder = await temporaryFolder()
  const serve = async (name: string) =>
    startServerProcess({
      dataDir: `${folder.path}/${name}`,
      flags: ['--max-host-pages', '2', '--host-delay', '30', '--blobs', `${folder.path}/blobs`],
      env: { DATABASE_URL: database.url },
    })
  await using first = await serve('first')
  await using second = await serve('second')
  const path = await start(first)
  await whenCompleted(second, path, 10)

  first.kill(end)
  await first.exited
  const body = await whenCompleted(second, path, count)

  expect(body).toMatchObject({ status: 'completed', total: count, creditsUsed: count })
  await expectBilledOnce({ dataDir: `${folder.path}/look`, databaseUrl: database.url })
})
