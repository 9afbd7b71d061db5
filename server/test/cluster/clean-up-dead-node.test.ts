import { expect, test } from 'vitest'
import { defaultPrices } from '../../src/billing/prices.ts'
import { cleanUpDeadNode } from '../../src/cluster/clean-up-dead-node.ts'
import { registerNode } from '../../src/nodes/node-queries.ts'
import { admitSession } from '../../src/sessions/session-account.ts'
import { saveProgress } from '../../src/sessions/session-queries.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { makeTeam, newSession } from '../store/fixture.ts'

const webhooks = { ended: async () => undefined }

describeEachStore('the sessions of a dead server', (openStore) => {
  test('are billed for their age at its last heartbeat, whatever the clock says since', async () => {
    await using store = await openStore()
    const { key } = await makeTeam(store.db)
    const wanted = newSession(key)
    const [old, young] = [await admitSession(store.db, wanted), await admitSession(store.db, newSession(key))]
    if (old.outcome !== 'admitted' || young.outcome !== 'admitted') throw new Error('The sessions were not admitted')
    const { id, createdAt, lastActivityAt } = old.session
    await saveProgress(store.db, [{ id, lastActivityAt, aliveUntil: new Date(createdAt.getTime() + 70_000) }])

    const jumped = new Date(createdAt.getTime() + 3_600_000)
    await registerNode(store.db, { id: wanted.nodeId, slots: 1 })
    await store.db.updateTable('node').set({ heartbeatAt: jumped }).where('id', '=', wanted.nodeId).execute()

    const lost = await cleanUpDeadNode({ store, prices: defaultPrices, webhooks }, wanted.nodeId)

    expect(lost.map(({ durationMs }) => durationMs)).toEqual([70_000, 0])
    expect(lost.map(({ creditsBilled }) => creditsBilled)).toEqual([3, 2])
  })
})
