import { mkdtempDisposable, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startConfigured } from '../../server/src/app.ts'
import { parseConfig } from '../../server/src/config.ts'
import { lockFolder } from '../../server/src/store/lock.ts'
import { startServerProcess } from '../lab/server-process.ts'
import { sharedPostgres } from '../lab/shared-postgres.ts'
import { startSite } from '../lab/site.ts'

test('a closed terminal drains the server: sessions are ended and billed, and pending requests get the whole drain timeout', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-serve-'))
  await using database = await (await sharedPostgres()).createDatabase()
  const requested = Promise.withResolvers<void>()
  await using site = await startSite({
    '/slow': async ({ response }) => {
      requested.resolve()
      // Longer than an interrupted start may take.
      await sleep(10_500)
      response.setHeader('content-type', 'text/html').end('<h1>Slow</h1>')
    },
  })
  const options = { flags: ['--drain-timeout', '60'], env: { DATABASE_URL: database.url } }
  await using server = await startServerProcess({ dataDir: folder.path, ...options })
  const { id } = await server.create()
  const body = { url: site.url('/slow'), formats: ['rawHtml'], timeout: 60_000 }
  const scraped = server.api('POST', '/v2/scrape', body)
  await requested.promise

  server.kill('SIGHUP')

  expect(await scraped).toMatchObject({ status: 200, body: { data: { rawHtml: expect.stringContaining('Slow') } } })
  expect(await server.exited).toEqual({ code: 0, signal: null })
  const lines = server.log().split('\n')
  expect(JSON.parse(lines.find((line) => line.includes('session ended')) ?? '{}')).toMatchObject({
    sessionId: id,
    endReason: 'drained',
    teamId: expect.any(String),
    keyId: expect.any(String),
  })
})

test('an aborted start rejects with the reason and releases the data directory', async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-serve-'))
  const config = parseConfig({ dataDir: folder.path, port: 0, logLevel: 'silent' })

  await expect(startConfigured(config, { signal: AbortSignal.abort('SIGTERM') })).rejects.toBe('SIGTERM')

  using _lock = await lockFolder(folder.path)
})

test.runIf(process.platform === 'linux')(
  'the process has the threads for many name lookups at once (skipped on other systems: /proc)',
  async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-serve-'))
    await using database = await (await sharedPostgres()).createDatabase()
    await using server = await startServerProcess({ dataDir: folder.path, env: { DATABASE_URL: database.url } })

    const threads = await readdir(`/proc/${server.pid}/task`)

    expect(threads.length).toBeGreaterThan(128)
  },
)
