import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { inspectStore } from '../../src/store/inspect.ts'
import { openStore } from '../../src/store/open.ts'
import { connectPostgres } from '../../src/store/open-postgres.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

test('inspecting an embedded store that does not exist creates nothing', async () => {
  await using folder = await temporaryFolder()
  const dataDir = join(folder.path, 'data')

  expect(await inspectStore({ dataDir })).toEqual({ kind: 'pglite', schema: 'absent' })
  await expect(access(dataDir)).rejects.toThrow('ENOENT')
})

test('inspecting an embedded store reports its schema and fails if it is in use', async () => {
  await using folder = await temporaryFolder()
  const store = await openStore({ dataDir: folder.path })
  const inUse = inspectStore({ dataDir: folder.path })
  await expect(inUse).rejects.toMatchObject({ code: 'DATA_DIR_IN_USE' })
  await store[Symbol.asyncDispose]()

  expect(await inspectStore({ dataDir: folder.path })).toEqual({ kind: 'pglite', schema: 'current' })
})

test('inspecting PostgreSQL reports the schema and does not migrate it', async () => {
  const postgres = await sharedPostgres()
  await using database = await postgres.createDatabase()
  await using empty = await postgres.createDatabase({ isEmpty: true })
  await using connection = await connectPostgres({ databaseUrl: database.url, log: undefined })
  const inspect = (databaseUrl = database.url) => inspectStore({ dataDir: '', databaseUrl })

  const current = await inspect()
  await sql`delete from kysely_migration where name = (select max(name) from kysely_migration)`.execute(connection.db)

  expect(current).toEqual({ kind: 'postgres', schema: 'current' })
  expect(await inspect()).toEqual({ kind: 'postgres', schema: 'older' })
  expect(await inspect()).toEqual({ kind: 'postgres', schema: 'older' })
  expect(await inspect(empty.url)).toEqual({ kind: 'postgres', schema: 'absent' })
  expect(await inspect(empty.url)).toEqual({ kind: 'postgres', schema: 'absent' })
  await sql`insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '')`.execute(connection.db)
  await expect(inspect()).rejects.toMatchObject({ code: 'STORE_FAILED', hint: expect.stringContaining('newest') })
})
