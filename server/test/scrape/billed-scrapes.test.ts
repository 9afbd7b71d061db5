import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { insertKey } from '../../src/teams/key-queries.ts'
import { listLedger } from '../billing/list-ledger.ts'
import { saveScrapes } from '../../src/scrape/billed-scrapes.ts'
import { PricedScrape } from '../../src/scrape/priced-scrape.ts'
import { findScrapes } from '../../src/scrape/queries/scrapes.ts'
import { ensureTeam, findTeam, updateTeam } from '../../src/teams/team-queries.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'

describeEachStore('unmetered scrapes', (openStore) => {
  test('are stored and billed to their teams together or not at all', async () => {
    await using store = await openStore()
    const [blue, red] = [await ensureTeam(store.db, { name: 'blue' }), await ensureTeam(store.db, { name: 'red' })]
    await updateTeam(store.db, blue.id, { credits: 10 })
    const entryOf = async (teamId: string, credits: number, document: Buffer | undefined) => {
      const key = { id: uuidV7(), teamId, name: 'k', hash: uuidV7(), prefix: 'p', role: 'member' as const }
      await insertKey(store.db, key)
      const row = document === undefined ? undefined : { cacheKey: undefined, document, hasBlobs: false, secret: 's' }
      return new PricedScrape({ id: uuidV7(), document: { metadata: {} }, credits }, { teamId, apiKeyId: key.id, row })
    }
    const entries = [
      await entryOf(blue.id, 3, Buffer.from('{}')),
      await entryOf(blue.id, 4, undefined),
      await entryOf(red.id, 5, Buffer.from('{}')),
    ]

    await saveScrapes(store, entries)
    await expect(saveScrapes(store, entries)).rejects.toThrow('unique')

    expect((await findTeam(store.db, blue.id))?.credits).toBe(3)
    expect(
      (await listLedger(store.db, { teamId: blue.id }))
        .map(({ credits }) => credits)
        .toSorted((one, other) => one - other),
    ).toEqual([3, 4])
    expect(await listLedger(store.db, { teamId: red.id })).toMatchObject([{ kind: 'scrape', credits: 5 }])
    expect(
      await findScrapes(
        store.db,
        entries.map(({ id }) => id),
      ),
    ).toHaveLength(2)
  })
})
