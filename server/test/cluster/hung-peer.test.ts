import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { connectCdp } from '../../../test/lab/cdp-socket.ts'
import { startLab, type Lab } from '../../../test/lab/lab.ts'
import { startServerProcess, type ServerProcess } from '../../../test/lab/server-process.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'

const apiKey = 'hung-key-0123456789abcdef'

describe('with one server', () => {
  const undo = new AsyncDisposableStack()
  let store: Store
  let narrow: Lab
  let peer: ServerProcess
  let abandoned: string
  let options: { databaseUrl: string; apiKey: string; blobs: string }
  beforeAll(async () => {
    const { url: databaseUrl } = undo.use(await (await sharedPostgres()).createDatabase())
    const blobs = undo.use(await mkdtempDisposable(join(tmpdir(), 'bowline-blobs-'))).path
    const dataDir = undo.use(await mkdtempDisposable(join(tmpdir(), 'bowline-hung-'))).path
    options = { databaseUrl, apiKey, blobs }
    narrow = undo.use(await startLab({ ...options, maxSessions: 1 }))
    peer = undo.use(
      await startServerProcess({
        dataDir,
        flags: ['--database-url', databaseUrl, '--max-sessions', '100', '--blobs', blobs],
        env: { BOWLINE_API_KEY: apiKey },
      }),
    )
    store = undo.use(await openStore({ dataDir, databaseUrl }))
    abandoned = (await peer.create({ ttl: 600 })).id
  })
  afterAll(async () => undo.disposeAsync())

  test('hanging, sessions are still listed from the store, and new ones start on other servers', async () => {
    const held = await peer.create({ ttl: 600 })
    const own = await narrow.createSession({ ttl: 600 })
    expect(narrow.server.liveSessions()).toBe(1)
    await using spare = await startLab({ ...options, maxSessions: 20 })

    peer.kill('SIGSTOP')
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
    peer.kill('SIGCONT')
    await peer.api('GET', '/livez')
    const late = sql<{ n: number }>`
      select count(*)::int n from session s join node on node.id = s.node_id
      where node.url = ${peer.url} and s.id not in (${held.id}, ${own.id}, ${abandoned}) and s.status = 'active'`
    await expect.poll(async () => (await late.execute(store.db)).rows, { timeout: 10_000 }).toEqual([{ n: 0 }])
    const { rows } = await sql<{ credits: number }>`
      select coalesce(sum(credits_billed), 0)::int credits from session
      where end_reason = 'deleted' and error is not null`.execute(store.db)
    expect(rows).toEqual([{ credits: 0 }])
  })

  test('dead, the others end and bill its sessions, and close the connections that they relay to it', async () => {
    // Without a process, its connections would close. Those of a machine that is off do not.
    const { cdpUrl } = (await peer.api('GET', `/v2/browser/${abandoned}`)).body as { cdpUrl: string }
    const relayedUrl = cdpUrl.replace(new URL(peer.url).host, new URL(narrow.server.url).host)
    await using relayed = await connectCdp(relayedUrl)
    peer.kill('SIGSTOP')

    // A server counts as dead after 30 s without a heartbeat. The test changes the time instead of
    // waiting, before each read, because a last heartbeat may still be in flight.
    const read = async (): Promise<object> => {
      await sql`update node set heartbeat_at = now() - interval '40 seconds' where url = ${peer.url}`.execute(store.db)
      return (await narrow.api('GET', `/v2/browser/${abandoned}`)).body
    }
    await expect
      .poll(read, { timeout: 15_000 })
      .toMatchObject({ status: 'destroyed', endReason: 'lost', creditsBilled: 2 })
    expect(await relayed.closed).toEqual({ code: 4005, reason: 'lost' })
  })
})
