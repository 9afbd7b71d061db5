import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { extractRequest } from '../../../src/contract/extract.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { release } from '../../src/billing/account.ts'
import { listLedger } from '../billing/list-ledger.ts'
import { endExtractJob } from '../../src/extract/extract-account.ts'
import { endSession } from '../../src/sessions/session-account.ts'
import { createPlan } from '../../src/extract/plan.ts'
import { insertExtractJob } from '../../src/extract/extract-job-queries.ts'
import { migrate } from '../../src/store/migrate.ts'
import { openStore } from '../../src/store/open.ts'
import { connectPostgres } from '../../src/store/open-postgres.ts'
import { insertSession } from '../../src/sessions/session-queries.ts'
import { findTeam } from '../../src/teams/team-queries.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { openPostgresStore } from '../../../test/lab/stores.ts'
import { makeTeam, newSession } from './fixture.ts'
import { startProgram } from './program.ts'
import { undoMigrationsAfter0024 } from './undo-migrations.ts'

test('servers that start at once on an empty PostgreSQL migrate it once', async () => {
  const postgres = await sharedPostgres()
  await using database = await postgres.createDatabase({ isEmpty: true })
  await using first = startProgram('open-postgres', [database.url])
  await using second = startProgram('open-postgres', [database.url])

  const codes = await Promise.all([first.exited, second.exited])

  expect(codes).toEqual([0, 0])
  await using store = await openStore({ dataDir: '', databaseUrl: database.url })
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(store.db)
  const steps = globSync('server/src/store/migrations/*.ts').map((path) => basename(path, '.ts'))
  expect(rows.map(({ name }) => name)).toEqual(steps.toSorted())
})

test('ten stores opened at once on an empty PostgreSQL all work', async () => {
  const postgres = await sharedPostgres()
  await using database = await postgres.createDatabase({ isEmpty: true })
  await using stack = new AsyncDisposableStack()

  const stores = await Promise.all(
    Array.from({ length: 10 }, () => openStore({ dataDir: '', databaseUrl: database.url })),
  )

  for (const store of stores) stack.use(store)
  const counts = await Promise.all(stores.map(({ db }) => sql`select count(*) from team`.execute(db)))
  expect(counts.map(({ rows }) => rows)).toEqual(stores.map(() => [{ count: 0 }]))
})

test('a database with a newer schema is rejected', async () => {
  await using newer = await openPostgresStore()
  await sql`insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '')`.execute(newer.db)
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(newer.db)
  const postgres = await sharedPostgres()

  const older = openStore({ dataDir: '', databaseUrl: postgres.url(rows[0]!.name) })

  await expect(older).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('9999-from-the-future'),
    hint: expect.stringContaining('newest version'),
  })
})

test('the error for a role that may not create tables names the missing grant', async () => {
  const postgres = await sharedPostgres()
  await using database = await postgres.createDatabase({ isEmpty: true })
  await using owner = await connectPostgres({ databaseUrl: database.url, log: undefined })
  const role = `guest_${crypto.randomUUID().replaceAll('-', '')}`
  await sql`create role ${sql.raw(role)} login`.execute(owner.db)
  try {
    const opened = openStore({ dataDir: '', databaseUrl: database.url.replace('bowline@', `${role}@`) })

    await expect(opened).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('may not create tables'),
      hint: expect.stringContaining('GRANT CREATE ON SCHEMA public'),
    })
  } finally {
    await sql`drop role ${sql.raw(role)}`.execute(owner.db)
  }
})

test('the error for a role without access to the tables names the role to use', async () => {
  const postgres = await sharedPostgres()
  await using database = await postgres.createDatabase()
  await using owner = await connectPostgres({ databaseUrl: database.url, log: undefined })
  const role = `reader_${crypto.randomUUID().replaceAll('-', '')}`
  await sql`create role ${sql.raw(role)} login`.execute(owner.db)
  try {
    const opened = openStore({ dataDir: '', databaseUrl: database.url.replace('bowline@', `${role}@`) })

    await expect(opened).rejects.toMatchObject({
      code: 'STORE_FAILED',
      message: expect.stringContaining('has no access to the tables: permission denied for table kysely_migration'),
      hint: expect.stringContaining('owns the tables'),
    })
  } finally {
    await sql`drop role ${sql.raw(role)}`.execute(owner.db)
  }
})

test('reservations of an older version become holds, and are settled like new ones', async () => {
  await using store = await openPostgresStore()
  const { db } = store
  const { team, key } = await makeTeam(db, { credits: 100 })
  const session = newSession(key, { reservedCredits: 20 })
  await insertSession(db, session)
  const [job, work] = [uuidV7(), uuidV7()]
  const owner = { teamId: team.id, apiKeyId: key.id }
  const { plan } = createPlan(extractRequest.parse({ urls: ['https://a.example/'], prompt: 'x' }), '')
  await insertExtractJob(db, { ...owner, id: job, request: plan })
  const charge = { ...owner, id: uuidV7(), kind: 'extract', subjectId: job, credits: 30, createdAt: new Date() }
  await db.insertInto('ledger').values(charge).execute()
  await sql`update team set credits = 70, reserved_credits = 25, active_sessions = 1, active_scrapes = 1`.execute(db)
  await undoMigrationsAfter0024(db)
  for (const statement of [
    'alter table hold drop column slot',
    'alter table hold alter column node_id set not null',
    'alter index hold_of_node rename to running_work_of_node',
    'alter index hold_pkey rename to running_work_pkey',
    'alter table hold rename column created_at to started_at',
    'alter table hold rename to running_work',
    `insert into running_work (id, team_id, node_id, credits) values ('${work}', '${team.id}', '${uuidV7()}', 5)`,
    `delete from kysely_migration where name >= '0023'`,
  ])
    await sql.raw(statement).execute(db)

  await migrate(db)

  expect(await listLedger(db, { teamId: team.id })).toEqual([])
  expect(await findTeam(db, team.id)).toMatchObject({ credits: 100, reservedCredits: 55 })
  await release(db, work)
  await endExtractJob(db, job, { error: 'The page is gone' })
  const end = { reason: 'deleted', status: 'destroyed', endedAt: new Date(), durationMs: 1 } as const
  await endSession(db, { ...end, id: session.id, credits: 2 })
  expect(await findTeam(db, team.id)).toMatchObject({
    credits: 98,
    reservedCredits: 0,
    activeSessions: 0,
    activeScrapes: 0,
  })
})
