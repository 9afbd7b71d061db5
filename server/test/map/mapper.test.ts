import { expect, onTestFinished, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { mapRequest } from '../../../src/contract/map.ts'
import { Billing } from '../../src/billing/billing.ts'
import { openEgress } from '../../src/egress/egress.ts'
import { openMapper } from '../../src/map/mapper.ts'
import { listLedger } from '../billing/list-ledger.ts'
import { availableCredits, releaseHoldsOfNode } from '../../src/billing/account.ts'
import { sendHtml, type Pages } from '../../../test/lab/pages/page.ts'
import { startSite } from '../../../test/lab/site.ts'
import { openPgliteStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'

async function startFixture(credits: number, pages?: Pages) {
  const undo = new AsyncDisposableStack()
  onTestFinished(async () => undo.disposeAsync())
  const site = undo.use(await startSite(pages))
  const store = undo.use(await openPgliteStore())
  const nodeId = uuidV7()
  const log = { debug: () => {}, warn: () => {} }
  const egress = undo.use(await openEgress({ allow: ['127.0.0.1'], log }))
  const mapper = undo.use(openMapper({ billing: new Billing({ store, nodeId }), egress, prices: { mapCall: 1 } }))
  const { team, key } = await makeTeam(store.db, { credits })
  const map = async (url: string) =>
    mapper.map({ teamId: team.id, apiKeyId: key.id, request: mapRequest.parse({ url }) })
  return {
    site,
    map,
    credits: async () => availableCredits(store.db, team.id),
    loseServer: async () => releaseHoldsOfNode(store.db, nodeId),
    bills: async () => listLedger(store.db, { teamId: team.id }),
  }
}

test('a map costs one credit and is in the ledger under its id', async () => {
  const fixture = await startFixture(5)

  const { id } = await fixture.map(fixture.site.url('/'))

  expect(await fixture.credits()).toBe(4)
  expect(await fixture.bills()).toMatchObject([{ kind: 'map', subjectId: id, credits: 1 }])
})

test('a team without credits gets no map, and no request is sent to the site', async () => {
  const fixture = await startFixture(0)

  await expect(fixture.map(fixture.site.url('/'))).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS', status: 402 })

  expect(fixture.site.requests.all).toEqual([])
})

test('a map that fails costs nothing', async () => {
  const fixture = await startFixture(5)

  await expect(fixture.map('http://10.0.0.1/')).rejects.toMatchObject({ code: 'EGRESS_REFUSED' })

  expect(await fixture.credits()).toBe(5)
  expect(await fixture.bills()).toEqual([])
})

test('a map whose server crashes during the work costs nothing', async () => {
  const held = Promise.withResolvers<void>()
  const fixture = await startFixture(5, {
    '/': async (exchange) => {
      await held.promise
      sendHtml(exchange, 'Start', '<a href="/next">Next</a>')
    },
  })
  const mapped = fixture.map(fixture.site.url('/'))
  await fixture.site.requests.waitFor('/')

  const during = await fixture.credits()
  await fixture.loseServer()

  expect(during).toBe(4)
  expect([await fixture.credits(), await fixture.bills()]).toEqual([5, []])
  held.resolve()
  await mapped
})
