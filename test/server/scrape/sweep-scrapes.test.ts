import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { randomSecret, uuidV7 } from '../../../src/kit/ids.ts'
import { blobKey } from '../../../src/server/scrape/scrape-files.ts'
import { sweepScrapes } from '../../../src/server/scrape/sweep-scrapes.ts'
import { openBlobs } from '../../../src/server/store/blobs.ts'
import { insertKey } from '../../../src/server/store/keys.ts'
import { findScrape, recordScrape } from '../../../src/server/store/scrapes.ts'
import { ensureTeam } from '../../../src/server/store/teams.ts'
import { describeEachStore, temporaryFolder } from '../../lab/stores.ts'

describeEachStore('old scrapes', (openStore) => {
  test('are removed with their files, young ones stay', async () => {
    await using store = await openStore()
    await using folder = await temporaryFolder()
    const blobs = await openBlobs({ kind: 'folder', path: folder.path })
    const team = await ensureTeam(store.db, { name: 'blue' })
    const key = { id: uuidV7(), teamId: team.id, name: 'k', hash: 'h', prefix: 'p', role: 'member' as const }
    await insertKey(store.db, key)
    const id = uuidV7()
    const row = { cacheKey: undefined, document: '{}', hasBlobs: true, secret: randomSecret() }
    await recordScrape(store.db, { id, teamId: team.id, apiKeyId: key.id, credits: 1 }, row)
    await blobs.write(blobKey(id, '1.png'), Readable.from(['picture']))

    await sweepScrapes({ store, blobs }, new Date(Date.now() - 60_000))
    const young = await findScrape(store.db, id)
    await sweepScrapes({ store, blobs }, new Date(Date.now() + 60_000))

    expect(young?.id).toBe(id)
    expect(await findScrape(store.db, id)).toBeUndefined()
    expect(await Array.fromAsync(blobs.list(`scrapes/${id}`))).toEqual([])
  })
})
