import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { dayMs } from '../../../../src/kit/day-ms.ts'
import { randomSecret, uuidV7 } from '../../../../src/kit/ids.ts'
import { blobKey } from '../../../src/scrape/document/scrape-files.ts'
import { sweepOrphanedFiles, sweepScrapes } from '../../../src/scrape/document/sweep-scrapes.ts'
import { openBlobs } from '../../../src/blobs/blobs.ts'
import { deleteExpiredJobs, insertJob } from '../../../src/jobs/job-queries.ts'
import { insertJobPages } from '../../../src/jobs/job-page-queries.ts'
import { insertKey } from '../../../src/teams/key-queries.ts'
import { findScrape, insertScrapes } from '../../../src/scrape/queries/scrapes.ts'
import { ensureTeam } from '../../../src/teams/team-queries.ts'
import { describeEachStore, temporaryFolder } from '../../../../test/lab/stores.ts'

describeEachStore('old scrapes', (openStore) => {
  test('are deleted with their files; newer ones and those of running jobs are kept', async () => {
    await using store = await openStore()
    await using folder = await temporaryFolder()
    const blobs = await openBlobs({ kind: 'folder', path: folder.path })
    const team = await ensureTeam(store.db, { name: 'blue' })
    const key = { id: uuidV7(), teamId: team.id, name: 'k', hash: 'h', prefix: 'p', role: 'member' as const }
    await insertKey(store.db, key)
    const id = uuidV7()
    const row = { cacheKey: undefined, document: Buffer.from('{}'), hasBlobs: true, secret: randomSecret() }
    await insertScrapes(store.db, [{ id, teamId: team.id, ...row }])
    await blobs.write(blobKey(id, '1.png'), Readable.from(['picture']))
    const scrapeId = uuidV7()
    await insertScrapes(store.db, [{ id: scrapeId, teamId: team.id, ...row }])
    const jobId = uuidV7()
    const past = new Date(Date.now() - 60_000)
    await insertJob(store.db, {
      id: jobId,
      teamId: team.id,
      apiKeyId: key.id,
      kind: 'crawl',
      version: 'v2',
      target: 'https://a.example/',
      plan: { submissions: [] },
      baseUrl: 'http://127.0.0.1',
      idempotencyKey: undefined,
      requestHash: undefined,
      createdAt: past,
      expiresAt: past,
    })
    const pages = [{ position: 0, url: 'https://a.example/', scrapeId }]
    await insertJobPages(store.db, jobId, { pages, submissionIndex: 0, depth: 0 })

    await sweepScrapes({ store, blobs }, past)
    const young = await findScrape(store.db, id)
    await deleteExpiredJobs(store.db)
    await sweepScrapes({ store, blobs }, new Date(Date.now() + 60_000))

    expect(young?.id).toBe(id)
    expect(await findScrape(store.db, id)).toBeUndefined()
    expect((await findScrape(store.db, scrapeId))?.id).toBe(scrapeId)
    expect(await Array.fromAsync(blobs.list(`scrapes/${id}`))).toEqual([])
  })

  test('files of scrapes that a crash kept from being stored are deleted after three days', async () => {
    await using store = await openStore()
    await using folder = await temporaryFolder()
    const blobs = await openBlobs({ kind: 'folder', path: folder.path })
    const team = await ensureTeam(store.db, { name: 'blue' })
    const nowMs = Date.now()
    const [orphan, young, stored] = [uuidV7(nowMs - 4 * dayMs), uuidV7(nowMs - 2 * dayMs), uuidV7(nowMs - 4 * dayMs)]
    for (const id of [orphan, young, stored]) await blobs.write(blobKey(id, '1.png'), Readable.from(['picture']))
    await blobs.write('scrapes/strange', Readable.from(['not of a scrape']))
    await insertScrapes(store.db, [{ id: stored, teamId: team.id, hasBlobs: true, secret: randomSecret() } as never])

    expect(await sweepOrphanedFiles({ store, blobs }, { nowMs })).toBe(1)

    expect((await readdir(join(folder.path, 'scrapes'))).toSorted()).toEqual([stored, young, 'strange'].toSorted())
  })
})
