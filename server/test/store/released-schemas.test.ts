import { readFileSync, globSync } from 'node:fs'
import { basename } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { endSession } from '../../src/sessions/session-account.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { findTeam } from '../../src/teams/team-queries.ts'
import { readRows, rowId } from './released/read-rows.ts'

const folder = new URL('released/', import.meta.url)

/** Releases in order. The files of each add to the schema and to the rows of those before it. */
const releases = ['first-build', '0.1.0'] as const

type Release = (typeof releases)[number]

function readAll(release: Release, suffix = ''): string {
  const names = releases.slice(0, releases.indexOf(release) + 1)
  return names.map((name) => readFileSync(new URL(`${name}${suffix}.sql`, folder), 'utf8')).join('\n')
}

/** Opens a store that has the schema and the rows of a release before it is migrated. */
async function openReleased(
  kind: 'PGlite' | 'PostgreSQL',
  release: Release,
): Promise<Store & { readonly fresh: object }> {
  await using undo = new AsyncDisposableStack()
  const { path: dataDir } = undo.use(await temporaryFolder())
  const database = kind === 'PGlite' ? undefined : undo.use(await (await sharedPostgres()).createDatabase())
  const options = { dataDir, databaseUrl: database?.url }
  let fresh: object
  {
    await using latest = await openStore(options)
    fresh = await describeSchema(latest)
    await latest.raw.exec('drop schema public cascade; create schema public')
    await latest.raw.exec(`${readAll(release)}\n${readAll(release, '-rows')}`)
  }
  const store = undo.use(await openStore(options))
  const owned = undo.move()
  return { ...store, fresh, [Symbol.asyncDispose]: async () => owned.disposeAsync() }
}

/** Columns, indexes and constraints, apart from their order. */
async function describeSchema({ db }: Store): Promise<object> {
  const { rows: columns } = await sql`
    select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns
    where table_schema = 'public' order by 1, 2`.execute(db)
  const { rows: indexes } = await sql`
    select indexdef from pg_indexes where schemaname = 'public' order by indexdef collate "C"`.execute(db)
  const { rows: constraints } = await sql`
    select conrelid::regclass::text as name, pg_get_constraintdef(oid) as def from pg_constraint
    where connamespace = 'public'::regnamespace and contype <> 'n' order by 1, 2`.execute(db)
  const { rows: storage } = await sql`
    select attrelid::regclass::text as name, attname, attstorage from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind = 'r' and attnum > 0 and not attisdropped order by 1, 2`.execute(
    db,
  )
  return { columns, indexes, constraints, storage }
}

const first = {
  team: [
    { name: 'acme', credits: 90, reservedCredits: 30, activeSessions: 1, planCredits: 100, rateLimits: '/scrape=20' },
  ],
  apiKey: [{ id: rowId('2'), name: 'ci', role: 'admin', teamName: 'acme' }],
  node: [{ url: 'http://10.0.0.1:3900', slots: 8, blobs: 'blobs of the cluster' }],
  session: {
    ended: { status: 'destroyed', endReason: 'deleted', durationMs: 60_000, creditsBilled: 4, profileVersion: 1 },
    active: [{ id: rowId('5'), status: 'active', isPrompted: false }],
  },
  hold: [20, 10],
  ledger: [
    { kind: 'scrape', credits: 6, subjectId: rowId('7') },
    { kind: 'session', credits: 4, subjectId: rowId('4') },
  ],
  setting: 'whsec',
  activity: [{ endpoint: 'scrape', apiVersion: 'v2', error: 'SCRAPE_TIMEOUT' }],
  rateWindow: { used: 8 },
  profile: [{ name: 'shop', currentVersion: 1, isLocked: false }],
  profileVersion: [{ version: 1, blob: 'profiles/1', contentBytes: 5_000_000_000 }],
  artifact: [{ name: 'har.json', bytes: 10, details: { contentType: 'application/json', startedAtMs: 5 } }],
  scrape: {
    document: { markdown: '# One', metadata: { statusCode: 200 } },
    pages: [{ id: rowId('7'), pageFacts: { answerKey: 'k', kind: 'html' } }],
  },
  trackedPage: { markdown: '# One', extracted: { wish: '{}', data: { price: 1 } } },
  indexedPage: [{ url: 'https://a.example/', title: 'One', body: expect.stringContaining('lighthouse') }],
  job: { kind: 'crawl', status: 'completed', credits: 6, warning: 'Some links were skipped.' },
  jobPage: [
    { url: 'https://a.example/', sourceUrl: 'https://a.example', seq: 1, credits: 6 },
    { position: 1, state: 'failed', errorCode: 'SCRAPE_TIMEOUT' },
  ],
  extractJob: { status: 'completed', answer: { data: { zebra: 1, ant: 2 } }, credits: 5 },
  webhookSecret: 'whsec',
  webhookDelivery: {
    delivery: { headers: { 'x-b': '1', 'X-B': '2' }, attempts: [{ status: 200 }] },
    payload: { z: 1, a: 2 },
    listed: { deliveries: [{ status: 'delivered' }] },
  },
  monitor: [
    { name: 'News', timezone: 'Europe/Berlin', targets: [{ type: 'scrape' }], lastCheckSummary: { changed: 1 } },
  ],
  monitorCheck: [{ status: 'completed', actualCredits: 1, targetResults: [{ pages: 1 }] }],
  monitorPage: {
    pages: [{ status: 'changed', judgment: { reason: 'News' }, diff: { json: { zebra: { current: 2 } } } }],
  },
  monitorState: { markdown: '# One', isGone: false },
  mailSubscription: [{ email: 'a@a.example', status: 'confirmed' }],
  mail: { kind: 'check', status: 'sent' },
}

const firstUsage = {
  months: [
    { start: new Date('2026-01-01T00:00:00Z'), apiKey: 'ci', credits: 4 },
    { start: new Date('2026-02-01T00:00:00Z'), apiKey: 'ci', credits: 6 },
  ],
  last: new Date('2026-02-01T10:00:00Z'),
}

/** Rows that each release must still have after the migration. */
const expected = {
  'first-build': { ...first, ledgerDay: firstUsage },
  '0.1.0': {
    ...first,
    session: {
      ...first.session,
      ended: { ...first.session.ended, isPrompted: true },
      labels: { name: 'checkout', metadata: { run: '7' } },
    },
    scrape: { ...first.scrape, replay: { url: 'https://a.example/' } },
    ledgerDay: {
      months: [{ start: new Date('2025-12-01T00:00:00Z'), apiKey: 'ci', credits: 3_000_000_000 }, ...firstUsage.months],
      last: firstUsage.last,
    },
    activity: [{ ...first.activity[0], auditUsername: 'ann' }],
    extension: [{ name: 'Blocker', version: '1.2' }],
    parseUpload: { name: 'a.pdf', state: 'stored' },
    secret: [{ name: 'PASSWORD', origins: ['https://a.example'] }],
    auditEvent: [{ action: 'secret.set', details: { name: 'PASSWORD' }, teamName: 'acme' }],
    agentJob: { status: 'completed', request: { prompt: 'Find it' }, answer: { data: { zebra: 1, ant: 2 } } },
    agentStep: [{ sequence: 1, messages: [{ role: 'user' }], events: [{ type: 'run.started' }] }],
  },
} as const

describe.each(releases)('the schema of %s', (release) => {
  test.each(['PGlite', 'PostgreSQL'] as const)('is migrated with its rows, in %s', async (kind) => {
    await using store = await openReleased(kind, release)

    expect(await describeSchema(store)).toEqual(store.fresh)
    const reads = readRows(store)
    for (const [table, rows] of Object.entries(expected[release]))
      expect(await reads[table as keyof typeof reads](), table).toMatchObject(rows as object)
    const end = { reason: 'deleted', status: 'destroyed', endedAt: new Date(), durationMs: 1, credits: 2 } as const
    await endSession(store.db, { ...end, id: rowId('5') })
    expect(await findTeam(store.db, rowId('1'))).toMatchObject({ credits: 88, reservedCredits: 10, activeSessions: 0 })
  })

  test('has rows of every table, which are read', () => {
    const schema = readAll(release)
    const rows = readAll(release, '-rows')
    const renamed = new Map(
      [...schema.matchAll(/alter table (\w+) rename to (\w+)/g)].map(([, from, to]) => [from, to]),
    )
    const tables = [...schema.matchAll(/create table (\w+)/g)]
      .map(([, name = '']) => renamed.get(name) ?? name)
      .filter((name) => !name.startsWith('kysely_'))

    expect(tables.length).toBeGreaterThan(20)
    expect(tables.filter((name) => !rows.includes(`insert into ${name} (`))).toEqual([])
    const read = Object.keys(expected[release]).map((name) =>
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    )
    expect(read).toEqual(expect.arrayContaining(tables))
  })
})

test('each release of the changelog has a schema, which is tested', () => {
  const changelog = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8')
  const released = [...changelog.matchAll(/^## (\d+\.\d+\.\d+)/gm)].map(([, version]) => version)
  const schemas = globSync('server/test/store/released/*.sql')
    .map((path) => basename(path, '.sql'))
    .filter((name) => !name.endsWith('-rows'))

  expect(schemas).toEqual(expect.arrayContaining(released))
  expect(schemas.toSorted()).toEqual(releases.toSorted())
})
