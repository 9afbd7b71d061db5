import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { startLab } from '../../../test/lab/lab.ts'
import { startServerProcess } from '../../../test/lab/server-process.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'

const apiKey = 'hung-key-0123456789abcdef'

test('with one server hanging, sessions are still listed from the store, and new ones start on other servers', async () => {
  await using database = await (await sharedPostgres()).createDatabase()
  const databaseUrl = database.url
  await using shared = await mkdtempDisposable(join(tmpdir(), 'bowline-blobs-'))
  const blobs = shared.path
  await using narrow = await startLab({ databaseUrl, apiKey, blobs, maxSessions: 1 })
  await using dataDir = await mkdtempDisposable(join(tmpdir(), 'bowline-hung-'))
  await using hung = await startServerProcess({
    dataDir: dataDir.path,
    flags: ['--database-url', databaseUrl, '--max-sessions', '100', '--blobs', blobs],
    env: { BOWLINE_API_KEY: apiKey },
  })
  await using store = await openStore({ dataDir: dataDir.path, databaseUrl })
  const held = await hung.create({ ttl: 600 })
  const own = await narrow.createSession({ ttl: 600 })
  expect(narrow.server.liveSessions()).toBe(1)
  await using spare = await startLab({ databaseUrl, apiKey, blobs, maxSessions: 20 })

  hung.kill('SIGSTOP')
  const [read, deleted, created] = await Promise.all([
    narrow.api('GET', `/v2/browser/${held.id}`),
    narrow.api('DELETE', `/v2/browser/${held.id}`),
    narrow.api('POST', '/v2/browser', { ttl: 60 }),
  ])

  expect(read).toMatchObject({ status: 200, body: { id: held.id, status: 'active' } })
  expect(deleted).toMatchObject({ status: 502, body: { code: 'NODE_UNREACHABLE' } })
  expect(deleted.headers.get('retry-after')).toBe('5')
  expect(created.status).toBe(200)
  expect(spare.server.liveSessions()).toBe(1)

  // When it resumes, it finds requests whose clients have disconnected. It may complete the
  // deletion, but not the creation.
  hung.kill('SIGCONT')
  await hung.api('GET', '/livez')
  const late = sql<{ n: number }>`
    select count(*)::int n from session s join node on node.id = s.node_id
    where node.url = ${hung.url} and s.id <> ${held.id} and s.id <> ${own.id} and s.status = 'active'`
  await expect.poll(async () => (await late.execute(store.db)).rows, { timeout: 10_000 }).toEqual([{ n: 0 }])
  const { rows } = await sql<{ credits: number }>`
    select coalesce(sum(credits_billed), 0)::int credits from session where end_reason = 'deleted' and error is not null`.execute(
    store.db,
  )
  expect(rows).toEqual([{ credits: 0 }])
}, 60_000)
