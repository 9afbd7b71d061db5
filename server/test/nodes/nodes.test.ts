import type { Kysely } from 'kysely'
import { expect, test, vi } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { createPeers } from '../../src/cluster/peers.ts'
import { createServerCounter } from '../../src/nodes/count-servers.ts'
import { recordHeartbeat, findDeadNodes, listNodes, registerNode, removeNode } from '../../src/nodes/node-queries.ts'
import type { Database } from '../../src/store/schema.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'

async function backdateHeartbeat(db: Kysely<Database>, id: string, seconds: number): Promise<void> {
  const heartbeatAt = new Date(Date.now() - seconds * 1000)
  await db.updateTable('node').set({ heartbeatAt, startedAt: heartbeatAt }).where('id', '=', id).execute()
}

describeEachStore('nodes', (openStore) => {
  test('a registered node is listed with no sessions and accepts new ones', async () => {
    await using store = await openStore()

    const node = await registerNode(store.db, { id: uuidV7(), url: 'http://10.0.0.1:3002', slots: 8 })

    expect(await listNodes(store.db)).toEqual([node])
    expect(node).toMatchObject({ url: 'http://10.0.0.1:3002', slots: 8, live: 0, draining: false })
  })

  test('servers are counted every few seconds, also after the wall clock has stepped back', async () => {
    await using store = await openStore()
    const count = createServerCounter(store)
    const startMs = performance.now()
    const counts = [await count()]
    for (const slots of [1, 2]) await registerNode(store.db, { id: uuidV7(), slots })

    const wallClock = vi.spyOn(Date, 'now').mockReturnValue(0)
    const now = vi.spyOn(performance, 'now').mockReturnValue(startMs + 60_000)
    counts.push(await count())
    for (const each of [wallClock, now]) each.mockRestore()

    expect(counts).toEqual([1, store.kind === 'pglite' ? 1 : 2])
  })

  test('a node that restarts with the same id is reset', async () => {
    await using store = await openStore()
    const id = uuidV7()
    await registerNode(store.db, { id, url: 'http://10.0.0.1:3002', slots: 8 })
    await recordHeartbeat(store.db, { id, live: 5, draining: true })
    await backdateHeartbeat(store.db, id, 60)

    const again = await registerNode(store.db, { id, slots: 4 })

    expect(again).toMatchObject({ url: undefined, slots: 4, live: 0, draining: false })
    expect(Date.now() - again.startedAt.getTime()).toBeLessThan(30_000)
    expect(await listNodes(store.db)).toEqual([again])
  })

  test('a heartbeat updates the load and the draining state', async () => {
    await using store = await openStore()
    const { id } = await registerNode(store.db, { id: uuidV7(), slots: 8 })

    expect(await recordHeartbeat(store.db, { id, live: 3, draining: true, memoryUsed: 0.5, cpuUsed: 0.25 })).toBe(true)

    const load = { live: 3, draining: true, memoryUsed: 0.5, cpuUsed: 0.25 }
    expect(await listNodes(store.db)).toMatchObject([{ id, ...load }])
  })

  test('a node without heartbeats counts as dead until its next heartbeat', async () => {
    await using store = await openStore()
    const silent = await registerNode(store.db, { id: uuidV7(), slots: 8 })
    await registerNode(store.db, { id: uuidV7(), slots: 8 })
    await backdateHeartbeat(store.db, silent.id, 60)

    expect(await findDeadNodes(store.db, 30)).toMatchObject([{ id: silent.id }])
    expect(await findDeadNodes(store.db, 90)).toEqual([])

    await recordHeartbeat(store.db, { id: silent.id, live: 0, draining: false })
    expect(await findDeadNodes(store.db, 30)).toEqual([])
  })

  test('sessions go to another node only while it sends heartbeats', async () => {
    await using store = await openStore()
    const own = await registerNode(store.db, { id: uuidV7(), slots: 8 })
    const other = await registerNode(store.db, { id: uuidV7(), url: 'http://10.0.0.2:3002', slots: 8 })
    const full = { live: 8, slots: 8, isDraining: false, memoryUsed: 0, cpuUsed: 0 }
    const choose = async () => createPeers({ ...store, kind: 'postgres' }, own.id).choose(full)

    const received = await choose()
    await backdateHeartbeat(store.db, other.id, 20)
    const silent = await choose()

    expect([received, silent]).toEqual([{ id: other.id, url: other.url }, undefined])
  })

  test('a node that has got a session counts it before its next heartbeat', async () => {
    await using store = await openStore()
    const { id } = await registerNode(store.db, { id: uuidV7(), url: 'http://10.0.0.2:3002', slots: 1 })
    const draining = { live: 0, slots: 8, isDraining: true, memoryUsed: 0, cpuUsed: 0 }
    const peers = createPeers({ ...store, kind: 'postgres' }, uuidV7())

    const chosen = [await peers.choose(draining), await peers.choose(draining)]

    expect(chosen.map((peer) => peer?.id)).toEqual([id, undefined])
  })

  test('a node is found as soon as it is registered, despite the cached list', async () => {
    await using store = await openStore()
    const peers = createPeers({ ...store, kind: 'postgres' }, uuidV7())
    await peers.find(uuidV7()).catch(() => undefined)

    const { id, url } = await registerNode(store.db, { id: uuidV7(), url: 'http://10.0.0.2:3002', slots: 8 })

    expect(await peers.find(id)).toEqual({ id, url })
  })

  test('a removed node learns from its next heartbeat that it must register again', async () => {
    await using store = await openStore()
    const { id } = await registerNode(store.db, { id: uuidV7(), slots: 8 })

    await removeNode(store.db, id)
    await removeNode(store.db, id)

    expect(await listNodes(store.db)).toEqual([])
    expect(await recordHeartbeat(store.db, { id, live: 0, draining: false })).toBe(false)
  })
})
