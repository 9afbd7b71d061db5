import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { createPeers } from '../../src/cluster/peers.ts'
import { relayEndOf } from '../../src/http/relay-end.ts'
import { recordHeartbeat, registerNode, removeNode } from '../../src/nodes/node-queries.ts'
import { admitSession, endSession } from '../../src/sessions/session-account.ts'
import { openStore } from '../../src/store/open.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { makeTeam, newSession } from '../store/fixture.ts'

test('the close frame of a relayed connection says that the session is alive only while that is true', async () => {
  await using database = await (await sharedPostgres()).createDatabase()
  await using folder = await temporaryFolder()
  const store = await openStore({ dataDir: folder.path, databaseUrl: database.url })
  const { key } = await makeTeam(store.db)
  const wanted = newSession(key)
  const relayingId = uuidV7()
  await admitSession(store.db, wanted)
  await registerNode(store.db, { id: wanted.nodeId, url: 'http://10.0.0.2:3002', slots: 1 })
  await registerNode(store.db, { id: relayingId, url: 'http://10.0.0.3:3002', slots: 1 })
  const deps = { store, peers: createPeers(store, relayingId) }

  const running = await relayEndOf(deps, wanted.id)
  await recordHeartbeat(store.db, { id: wanted.nodeId, live: 1, draining: true })
  const draining = await relayEndOf(deps, wanted.id)
  await removeNode(store.db, wanted.nodeId)
  const silent = await relayEndOf(deps, wanted.id)
  const endedAt = new Date()
  const outcome = { id: wanted.id, reason: 'idle', status: 'destroyed', endedAt, durationMs: 1, credits: 2 } as const
  await endSession(store.db, outcome)
  const ended = await relayEndOf(deps, wanted.id)
  await store[Symbol.asyncDispose]()
  const unknown = await relayEndOf(deps, wanted.id)

  expect(running).toEqual({ code: 1012, reason: expect.stringContaining('The session is still alive: reconnect') })
  expect(draining).toEqual({ code: 4004, reason: 'drained' })
  expect(silent).toEqual({ code: 1012, reason: expect.stringContaining('does not respond') })
  expect(ended).toEqual({ code: 4002, reason: 'idle' })
  expect(unknown).toEqual({ code: 1012, reason: expect.stringContaining('to see whether the session is still alive') })
  for (const { reason } of [running, silent, unknown]) expect(Buffer.byteLength(reason)).toBeLessThanOrEqual(123)
})
