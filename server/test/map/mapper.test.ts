import { expect, onTestFinished, test } from 'vitest'
import { mapRequest } from '../../../src/contract/map.ts'
import { openEgress } from '../../src/egress/egress.ts'
import { openMapper } from '../../src/map/mapper.ts'
import { listLedger } from '../../src/store/ledger.ts'
import { availableCredits } from '../../src/store/teams.ts'
import { startSite } from '../../../test/lab/site.ts'
import { openPgliteStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/world.ts'

async function startWorld(credits: number) {
  const undo = new AsyncDisposableStack()
  onTestFinished(async () => undo.disposeAsync())
  const site = undo.use(await startSite())
  const store = undo.use(await openPgliteStore())
  const log = { debug: () => {}, warn: () => {} }
  const egress = undo.use(await openEgress({ allow: ['127.0.0.1'], log }))
  const mapper = undo.use(openMapper({ store, egress, prices: { mapCall: 1 } }))
  const { team, key } = await makeTeam(store.db, { credits })
  const map = async (url: string) =>
    mapper.map({ teamId: team.id, apiKeyId: key.id, request: mapRequest.parse({ url }) })
  return {
    site,
    map,
    credits: async () => availableCredits(store.db, team.id),
    bills: async () => listLedger(store.db, { teamId: team.id }),
  }
}

test('a map costs one credit and is on the bill by its id', async () => {
  const world = await startWorld(5)

  const { id } = await world.map(world.site.url('/'))

  expect(await world.credits()).toBe(4)
  expect(await world.bills()).toMatchObject([{ kind: 'map', subjectId: id, credits: 1 }])
})

test('a team without credits gets no map, and the site is not asked', async () => {
  const world = await startWorld(0)

  await expect(world.map(world.site.url('/'))).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS', status: 402 })

  expect(world.site.requests.all).toEqual([])
})

test('a map that fails costs nothing', async () => {
  const world = await startWorld(5)

  await expect(world.map('http://10.0.0.1/')).rejects.toMatchObject({ code: 'EGRESS_REFUSED' })

  expect(await world.credits()).toBe(5)
  expect(await world.bills()).toEqual([])
})
