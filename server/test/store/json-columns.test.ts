import { sql, type Kysely } from 'kysely'
import { describe, expect, test } from 'vitest'
import { dayMs } from '../../../src/kit/day-ms.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { listArtifacts } from '../../src/artifacts/artifact-queries.ts'
import { findExtractJob } from '../../src/extract/extract-job-queries.ts'
import { findJob } from '../../src/jobs/job-queries.ts'
import { findCheck } from '../../src/monitors/queries/checks.ts'
import { findMonitor } from '../../src/monitors/queries/monitors.ts'
import { findState, listPages } from '../../src/monitors/queries/pages.ts'
import { recordPlanOf } from '../../src/recordings/record-plan.ts'
import { recordingKind } from '../../src/recordings/recording-details.ts'
import { findStoredPages, findTrackedPage } from '../../src/scrape/queries/scrapes.ts'
import { findSession, insertSession } from '../../src/sessions/session-queries.ts'
import { openStore } from '../../src/store/open.ts'
import type { Database } from '../../src/store/schema.ts'
import { findDelivery, payloadOf } from '../../src/webhooks/webhook-queries.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { makeTeam, newSession } from './fixture.ts'
import { undoMigrationsAfter0024 } from './undo-migrations.ts'

/** Columns that had the type `text` before migration 0024, with their default. */
const textColumns = [
  ['job', 'plan'],
  ['session', 'record'],
  ['extract_job', 'request'],
  ['extract_job', 'answer'],
  ['artifact', 'details', '{}'],
  ['monitor', 'targets'],
  ['monitor', 'webhook'],
  ['monitor', 'notification'],
  ['monitor', 'last_check_summary'],
  ['monitor_check', 'summary'],
  ['monitor_check', 'target_results', '[]'],
  ['monitor_page', 'judgment'],
  ['monitor_page', 'diff'],
  ['monitor_page', 'snapshot'],
  ['webhook_delivery', 'headers'],
  ['webhook_delivery', 'attempts', '[]'],
] as const

/** Returns a database to its schema before migration 0024. */
async function undoMigration(db: Kysely<Database>): Promise<void> {
  for (const [table, column, initial] of textColumns) {
    const change = (text: string): Promise<unknown> =>
      sql.raw(`alter table ${table} alter column ${column} ${text}`).execute(db)
    if (initial !== undefined) await change('drop default')
    await change(`type text using ${column}::text`)
    if (initial !== undefined) await change(`set default '${initial}'`)
  }
  await undoMigrationsAfter0024(db)
  await sql`delete from kysely_migration where name >= '0024'`.execute(db)
}

const hash = 'f'.repeat(64)
const summary = '{"totalPages":1,"same":0,"changed":1,"new":0,"removed":0,"error":0}'
const strange = String.raw`a\u0000b \ud800 \\u0000`
const request = {
  formats: '[{"type":"json","schema":{"type":"object","properties":{"zebra":{},"ant":{}}}}]',
  webhook:
    '{"url":"https://a.example/","headers":{"x-b":"1","x-a":"2"},"metadata":{"z":"1","a":"2"},"events":["page"]}',
}

/** Inserts rows of every table with JSON, as earlier versions wrote them. Returns their id. */
async function insertOldRows(db: Kysely<Database>): Promise<{ readonly id: string; readonly teamId: string }> {
  const { team, key } = await makeTeam(db)
  const id = uuidV7()
  await insertSession(db, newSession(key, { id }))
  const owned = { id, team_id: team.id, api_key_id: key.id }
  const facts = { cron: '0 * * * *', timezone: 'UTC', retention_days: 7, base_url: '' }
  const page = { target_id: id, url_hash: hash, url: 'https://a.example/' }
  const rows = [
    [
      'job',
      { ...owned, kind: 'crawl', version: 'v2', status: 'scraping', target: '', base_url: '', created_at: new Date() },
      {
        plan: `{"rounds":[{"request":{"formats":${request.formats},"goneOption":1},"showsExtract":true}],"webhook":${request.webhook}}`,
        expires_at: new Date(),
      },
    ],
    [
      'extract_job',
      owned,
      {
        request: `{"schema":{"zebra":{},"ant":{}},"enableWebSearch":false,"includeSubdomains":true,"showSources":true,
          "limit":20,"ignoreInvalidURLs":true,"pages":["https://a.example/"],"folders":[],"baseUrl":"http://a.example"}`,
        answer: `{"data":{"zebra":"${strange}","ant":1},"pages":["https://a.example/"]}`,
      },
    ],
    [
      'artifact',
      { id, team_id: team.id, session_id: id, kind: 'recording', name: 'har.json', bytes: 1 },
      {
        details: '{"contentType":"application/json","startedAtMs":5}',
        expires_at: new Date(Date.now() + dayMs),
      },
    ],
    [
      'webhook_delivery',
      { id, team_id: team.id, event: 'crawl.page', job_id: id, url: 'https://a.example/' },
      {
        headers: '{"x-b":"1","X-B":"2"}',
        payload: `{"z":"${strange}","a":1}`,
        attempts: `[{"at":"2026-01-01","durationMs":3,"error":"${strange}"}]`,
      },
    ],
    [
      'monitor',
      { ...owned, ...facts, name: 'A' },
      {
        targets: `[{"id":"${id}","type":"scrape","urls":["https://a.example/"],"scrapeOptions":{"formats":${request.formats}}}]`,
        webhook: request.webhook,
        notification: '{"email":{"enabled":true,"recipients":["a@a.example"],"includeDiffs":false}}',
        last_check_summary: summary,
      },
    ],
    [
      'monitor_check',
      { id, monitor_id: id, team_id: team.id, status: 'completed', trigger: 'manual', estimated_credits: 1 },
      { scheduled_for: new Date(), summary, target_results: `[{"targetId":"${id}","type":"scrape","pages":1}]` },
    ],
    [
      'monitor_page',
      { ...page, id, check_id: id, status: 'changed', credits: 1 },
      {
        judgment: `{"meaningful":true,"confidence":"high","reason":"${strange}","meaningfulChanges":[]}`,
        diff: `{"json":{"zebra":{"previous":1,"current":2},"ant":{"previous":"${strange}","current":null}}}`,
        snapshot: '{"json":{"zebra":2,"ant":null}}',
      },
    ],
    ['monitor_state', { ...page, monitor_id: id, markdown: '' }, { extracted: 'null' }],
    ['tracked_page', { team_id: team.id, tracking_key: hash, markdown: '' }, { extracted: '{"price":1}' }],
    [
      'scrape',
      { id, team_id: team.id, cache_key: hash, has_blobs: false, secret: 's' },
      {
        page_facts:
          '{"answerKey":"k","kind":"html","isWhole":true,"isShell":false,"isEnhanced":false,"isUnverified":false}',
      },
    ],
  ] as const
  for (const [table, fields, columns] of rows) {
    await db
      .insertInto(table as never)
      .values({ ...fields, ...columns })
      .execute()
  }
  await sql`update session set record = '{"har":true}' where id = ${id}`.execute(db)
  return { id, teamId: team.id }
}

function fail(error: Error): void {
  expect.fail(error.message)
}

const readable = 'a\0b \ud800 \\u0000'

describe.each(['PGlite', 'PostgreSQL'] as const)('rows of an earlier version, in %s', (kind) => {
  test('are read after the migration, with the values and the order of keys that they had', async () => {
    await using folder = await temporaryFolder()
    await using database = kind === 'PGlite' ? undefined : await (await sharedPostgres()).createDatabase()
    const options = { dataDir: folder.path, databaseUrl: database?.url }
    const older = await openStore(options)
    await undoMigration(older.db)
    const { id, teamId } = await insertOldRows(older.db)
    await older[Symbol.asyncDispose]()

    await using store = await openStore(options)

    const { db } = store
    const job = (await findJob(db, id))!
    expect(job.plan).toMatchObject({
      submissions: [{ showsExtract: true, hidesLinks: false, request: { timeout: 60_000 } }],
      webhook: JSON.parse(request.webhook) as object,
    })
    expect(JSON.stringify(job.plan.submissions[0]?.request.formats)).toBe(request.formats)
    expect(recordPlanOf((await findSession(db, id))!)).toMatchObject({ har: { bodies: true }, keep: 'always' })
    const extraction = (await findExtractJob(db, id))!
    expect(JSON.stringify(extraction.request.schema)).toBe('{"zebra":{},"ant":{}}')
    expect(extraction.answer).toEqual({
      data: { zebra: readable, ant: 1 },
      pages: ['https://a.example/'],
      searchCredits: 0,
    })
    expect(await listArtifacts(db, recordingKind, id, fail)).toMatchObject([
      { details: { contentType: 'application/json', startedAtMs: 5 } },
    ])
    const delivery = (await findDelivery(db, id))!
    expect(Object.keys(delivery.headers)).toEqual(['x-b', 'X-B'])
    expect(delivery.attempts).toEqual([{ at: '2026-01-01', durationMs: 3, error: 'a\ufffdb \ufffd \\u0000' }])
    expect(delivery.payload).toBe(`{"z":"${strange}","a":1}`)
    expect(payloadOf(delivery)).toEqual({ z: readable, a: 1 })
    const monitor = (await findMonitor(db, id))!
    expect(JSON.stringify(monitor.targets)).toContain(`"scrapeOptions":{"formats":${request.formats}}`)
    expect(JSON.stringify(monitor.webhook)).toBe(request.webhook)
    expect(monitor).toMatchObject({ notification: { email: { recipients: ['a@a.example'] } } })
    expect(JSON.stringify(monitor.lastCheckSummary)).toBe(summary)
    expect(await findCheck(db, id)).toMatchObject({
      summary: { changed: 1 },
      targetResults: [{ type: 'scrape', pages: 1 }],
    })
    const { pages } = await listPages(db, { checkId: id, limit: 10, skip: 0 }, fail)
    expect(pages).toMatchObject([
      {
        judgment: { reason: 'a\ufffdb \ufffd \\u0000' },
        diff: { json: { ant: { previous: readable } } },
        snapshot: { json: { zebra: 2, ant: null } },
      },
    ])
    expect(Object.keys(pages[0]?.diff?.json ?? {})).toEqual(['zebra', 'ant'])
    expect(await findState(db, { monitorId: id, targetId: id, urlHash: hash })).toMatchObject({ extracted: null })
    expect(await findTrackedPage(db, teamId, [hash])).toMatchObject({ extracted: undefined })
    const range = { from: new Date(Date.now() - dayMs), until: new Date(Date.now() + dayMs) }
    expect(await findStoredPages(db, { teamId, cacheKey: hash, ...range }, fail)).toMatchObject([
      { pageFacts: { answerKey: 'k', isPageStored: false } },
    ])
    const { rows } = await sql`
      select attname from pg_attribute join pg_class on pg_class.oid = attrelid
      where relname = 'webhook_delivery' and attname = 'attempts' and atttypid = 'jsonb'::regtype`.execute(db)
    expect(rows).toHaveLength(1)
  })
})
