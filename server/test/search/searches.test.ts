import { expect, test } from 'vitest'
import { searchRequest } from '../../../src/contract.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { BowlineError } from '../../../src/kit/errors.ts'
import { Billing } from '../../src/billing/billing.ts'
import { Searches } from '../../src/search/searches.ts'
import type { SearchProvider } from '../../src/search/provider.ts'
import { listLedger } from '../billing/list-ledger.ts'
import { availableCredits } from '../../src/billing/account.ts'
import type { Store } from '../../src/store/store.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'
import { noSignal } from './fixture.ts'

/** A provider with this many pages. */
function providerOf(known: number): SearchProvider {
  return {
    name: 'brave',
    sources: ['web'],
    search: async ({ limit }) => ({
      results: Array.from({ length: Math.min(known, limit) }, (_, index) => ({
        url: `http://a.example/${index}`,
        title: '',
        description: '',
      })),
      warnings: [],
    }),
  }
}

async function prepare(store: Store, provider: SearchProvider, credits: number) {
  const { team, key } = await makeTeam(store.db, { credits })
  const searches = new Searches({
    billing: new Billing({ store, nodeId: uuidV7() }),
    provider,
    prices: { tenResults: 2 },
  })
  return {
    search: async (limit: number) =>
      searches.searchAndBill(
        { teamId: team.id, apiKeyId: key.id, request: searchRequest.parse({ query: 'x', limit }) },
        noSignal,
      ),
    left: async () => availableCredits(store.db, team.id),
    bills: async () => (await listLedger(store.db, { teamId: team.id })).map((bill) => bill.credits),
  }
}

describeEachStore('a search', (openStore) => {
  test('costs two credits per ten results', async () => {
    await using store = await openStore()
    const { search, left, bills } = await prepare(store, providerOf(12), 100)

    expect(await search(50)).toMatchObject({ credits: 4, warnings: [] })

    expect([await left(), await bills()]).toEqual([96, [4]])
  })

  test('without results costs nothing', async () => {
    await using store = await openStore()
    const failing = async () => Promise.reject(new BowlineError('SEARCH_FAILED', 'It is down'))
    const empty = await prepare(store, providerOf(0), 10)
    const failed = await prepare(store, { ...providerOf(1), search: failing }, 10)

    await empty.search(10)
    await expect(failed.search(10)).rejects.toMatchObject({ code: 'SEARCH_FAILED' })

    expect([await empty.left(), await empty.bills(), await failed.left(), await failed.bills()]).toEqual([
      10,
      [],
      10,
      [],
    ])
  })

  test('returns fewer results if credits are low, and is rejected without credits', async () => {
    await using store = await openStore()
    const { search, left } = await prepare(store, providerOf(100), 3)

    const { results, warnings } = await search(40)

    expect(results.get('web')).toHaveLength(10)
    expect(warnings).toEqual([expect.stringContaining('only 10 results')])
    expect(await left()).toBe(1)
    await expect(search(5)).rejects.toMatchObject({ code: 'INSUFFICIENT_CREDITS', status: 402 })
  })
})
