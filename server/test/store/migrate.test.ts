import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { connectPostgres } from '../../src/store/open-postgres.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { openPostgresStore } from '../../../test/lab/stores.ts'
import { startProgram } from './program.ts'

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
