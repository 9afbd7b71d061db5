import { sql, type Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { insertExtractJob } from '../../src/extract/extract-job-queries.ts'
import { insertAgent } from '../../src/agent/agent-queries.ts'
import { insertJobPages } from '../../src/jobs/job-page-queries.ts'
import { endJob, insertJob } from '../../src/jobs/job-queries.ts'
import type { Database } from '../../src/store/schema.ts'
import type { KeyRow } from '../../src/teams/key-queries.ts'
import { listJobs, type JobFilter } from '../../src/usage/job-list.ts'
import { makeTeam } from '../store/fixture.ts'

const hourMs = 3_600_000
const startMs = Date.now() - 5 * hourMs

type Db = Kysely<Database>

/** Inserts a batch or crawl that was created some hours after `startMs`. */
async function addPageJob(db: Db, key: KeyRow, target: string, { kind = 'batch_scrape', hour = 0, age = 0 } = {}) {
  const id = uuidV7()
  const createdAt = new Date(startMs + hour * hourMs)
  await insertJob(db, {
    id,
    teamId: key.teamId,
    apiKeyId: key.id,
    kind: kind as 'batch_scrape' | 'crawl',
    version: 'v2',
    target,
    plan: { submissions: [] },
    baseUrl: 'http://127.0.0.1',
    createdAt,
    expiresAt: new Date(Date.now() - age),
    idempotencyKey: undefined,
    requestHash: undefined,
  })
  return id
}

async function addExtract(db: Db, { id: apiKeyId, teamId }: KeyRow, hour: number) {
  const id = uuidV7()
  const request = { pages: ['https://shop.test/a'], folders: [], prompt: 'Read', baseUrl: 'http://127.0.0.1' }
  await insertExtractJob(db, { id, teamId, apiKeyId, request: request as never })
  await db
    .updateTable('extractJob')
    .set({ createdAt: at(hour) })
    .where('id', '=', id)
    .execute()
  return id
}

async function addAgent(db: Db, { id: apiKeyId, teamId }: KeyRow, hour: number) {
  const id = uuidV7()
  const request = { prompt: 'Find 100% wool \ud800', urls: [], maxCredits: 10, baseUrl: 'http://127.0.0.1' }
  await insertAgent(db, { id, teamId, apiKeyId, request: request as never })
  await db
    .updateTable('agentJob')
    .set({ createdAt: at(hour) })
    .where('id', '=', id)
    .execute()
  return id
}

function at(hour: number): never {
  return new Date(startMs + hour * hourMs) as never
}

describeEachStore('the list of jobs', (openStore) => {
  test('jobs of all kinds are listed newest first, filtered, and page by page', async () => {
    await using store = await openStore()
    const { db } = store
    const { team, key } = await makeTeam(db)
    await addPageJob(db, (await makeTeam(db)).key, 'https://other.test/')
    const batch = await addPageJob(db, key, 'https://shop.test/1', { hour: 1 })
    const crawl = await addPageJob(db, key, 'https://docs.test/', { kind: 'crawl', hour: 2 })
    const extract = await addExtract(db, key, 3)
    const agent = await addAgent(db, key, 4)
    await endJob(db, batch, { status: 'cancelled' })
    const list = async (filter: Partial<JobFilter> = {}) => listJobs(db, { teamId: team.id, limit: 100, ...filter })
    const idsOf = async (filter?: Partial<JobFilter>) => (await list(filter)).map(({ id }) => id)

    expect(await idsOf()).toEqual([agent, extract, crawl, batch])
    expect(await list()).toMatchObject([
      {
        kind: 'agent',
        status: 'processing',
        target: 'Find 100% wool \ufffd',
        total: null,
        credits: 0,
        finishedAt: null,
      },
      { kind: 'extract', status: 'processing', target: 'https://shop.test/a', total: null },
      { kind: 'crawl', status: 'scraping', target: 'https://docs.test/', total: 0, createdAt: at(2) },
      { kind: 'batch_scrape', status: 'cancelled', target: 'https://shop.test/1', finishedAt: expect.any(Date) },
    ])
    expect(await idsOf({ kind: 'crawl' })).toEqual([crawl])
    expect(await idsOf({ kind: 'agent' })).toEqual([agent])
    expect(await idsOf({ status: 'running' })).toEqual([agent, extract, crawl])
    expect(await idsOf({ status: 'ended' })).toEqual([batch])
    expect(await idsOf({ status: 'failed' })).toEqual([])
    expect(await idsOf({ search: 'SHOP.test' })).toEqual([extract, batch])
    expect(await idsOf({ search: '100%' })).toEqual([agent])
    expect(await idsOf({ search: '1_0%' })).toEqual([])
    expect(await idsOf({ search: crawl.slice(0, -2) })).toContain(crawl)
    expect(await idsOf({ from: at(2), to: at(4) })).toEqual([extract, crawl])
    expect(await idsOf({ limit: 3 })).toEqual([agent, extract, crawl])
    expect(await idsOf({ after: { id: extract, createdAt: at(3) } })).toEqual([crawl, batch])
  })

  test('pages that have ended since a running job was counted are in the list', async () => {
    await using store = await openStore()
    const { db } = store
    const { team, key } = await makeTeam(db)
    const id = await addPageJob(db, key, 'https://shop.test/1')
    const pages = [1, 2, 3, 4].map((position) => ({
      position,
      url: `https://shop.test/${position}`,
      scrapeId: uuidV7(),
    }))
    await insertJobPages(db, id, { pages, submissionIndex: 0, depth: 0 })
    await db
      .updateTable('jobPage')
      .set({ state: 'completed', isUncounted: true, credits: 2 })
      .where('position', '=', 1)
      .execute()
    await db.updateTable('jobPage').set({ state: 'blocked', isUncounted: true }).where('position', '=', 2).execute()
    await db.updateTable('jobPage').set({ state: 'duplicate', isUncounted: true }).where('position', '=', 4).execute()

    const [job] = await listJobs(db, { teamId: team.id, limit: 1 })
    expect(job).toMatchObject({ total: 3, completed: 1, failed: 1, credits: 2 })
  })

  test('jobs that have expired are not listed', async () => {
    await using store = await openStore()
    const { db } = store
    const { team, key } = await makeTeam(db)
    const running = await addPageJob(db, key, 'https://shop.test/1', { age: hourMs })
    const ended = await addPageJob(db, key, 'https://shop.test/2')
    await endJob(db, ended, { status: 'completed' })
    const extract = await addExtract(db, key, 3)
    await sql`update job set expires_at = now() - interval '1 s'`.execute(db)
    await sql`update extract_job set status = 'failed', created_at = now() - interval '25 h'`.execute(db)

    const idsOf = async () => (await listJobs(db, { teamId: team.id, limit: 10 })).map(({ id }) => id)
    expect(await idsOf()).toEqual([running])
    await sql`update extract_job set finished_at = now()`.execute(db)
    expect(await idsOf()).toEqual([running, extract])
  })
})
