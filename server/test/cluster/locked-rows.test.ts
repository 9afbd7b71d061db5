import { Client } from 'pg'
import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { defaultPrices } from '../../src/billing/prices.ts'
import { startHeartbeat, type HeartbeatDeps } from '../../src/cluster/heartbeat.ts'
import { registerNode } from '../../src/nodes/node-queries.ts'
import { admitSession } from '../../src/sessions/session-account.ts'
import type { Sessions } from '../../src/sessions/sessions.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { makeTeam, newSession } from '../store/fixture.ts'

/** The sessions of a server that has none. */
const noSessions = {
  list: () => [],
  liveSessionCount: 0,
  isDraining: false,
  isStray: () => false,
  draining: new AbortController().signal,
} as unknown as Sessions

/** Adds a server without a heartbeat for a minute, with a session of a team that pays. */
async function addDeadNode(store: Store): Promise<{ readonly nodeId: string; readonly teamId: string }> {
  const nodeId = uuidV7()
  const { key } = await makeTeam(store.db, { credits: 1000 })
  await admitSession(store.db, newSession(key, { nodeId }))
  await registerNode(store.db, { id: nodeId, slots: 1 })
  await store.db
    .updateTable('node')
    .set({ heartbeatAt: new Date(Date.now() - 60_000) })
    .where('id', '=', nodeId)
    .execute()
  return { nodeId, teamId: key.teamId }
}

test('a locked row of a dead server delays neither the heartbeat, nor leases, nor the end of other dead servers', async () => {
  await using database = await (await sharedPostgres()).createDatabase()
  await using store = await openStore({ dataDir: '', databaseUrl: database.url })
  const nodeId = uuidV7()
  await registerNode(store.db, { id: nodeId, slots: 1 })
  const stuck = await addDeadNode(store)
  const other = await addDeadNode(store)
  const locking = new Client({ connectionString: database.url })
  await locking.connect()
  await locking.query('begin')
  await locking.query('select from team where id = $1 for update', [stuck.teamId])
  let beats = 0
  let renewals = 0
  const deps = {
    store,
    profiles: { renewLeases: async () => void renewals++ },
    prices: defaultPrices,
    webhooks: { ended: async () => undefined },
    nodeId,
    maxSessions: 1,
    nodeUrl: 'http://127.0.0.1:1',
    bootstrapKeyId: uuidV7(),
    blobsId: 'blobs',
    onEnd: () => undefined,
    onError: () => undefined,
    onRetired: () => undefined,
    onBeat: (error: unknown) => void (error === undefined && beats++),
  } as unknown as HeartbeatDeps
  const statusOf = async (dead: { readonly nodeId: string }): Promise<string | undefined> => {
    const row = await store.db
      .selectFrom('session')
      .select('status')
      .where('nodeId', '=', dead.nodeId)
      .executeTakeFirst()
    return row?.status
  }

  const heartbeat = startHeartbeat(deps, noSessions)
  try {
    await expect.poll(async () => statusOf(other), { timeout: 40_000 }).toBe('destroyed')
    await expect.poll(() => [beats >= 4, renewals >= 4], { timeout: 30_000 }).toEqual([true, true])
    expect(await statusOf(stuck)).toBe('active')

    await locking.query('rollback')

    await expect.poll(async () => statusOf(stuck), { timeout: 30_000 }).toBe('destroyed')
  } finally {
    await locking.end()
    await heartbeat[Symbol.asyncDispose]()
  }
})
