import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { moveStore } from '../../src/backup/move.ts'
import { configuredBlobs } from '../../src/blobs/configured-blobs.ts'
import { connectPostgres } from '../../src/store/open-postgres.ts'
import { openStore } from '../../src/store/open.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { readSeeded, seed, writeKeyFiles } from './fixture.ts'

async function hashOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const hash = createHash('sha256')
  for (const path of paths.toSorted()) hash.update(path).update(await readFile(path))
  return hash.digest('hex')
}

test('a moved store has every row and file of the embedded one, which is untouched', async () => {
  await using folder = await temporaryFolder()
  const postgres = await sharedPostgres()
  await using empty = await postgres.createDatabase({ isEmpty: true })
  const dataDir = join(folder.path, 'data')
  const target = { databaseUrl: empty.url, blobs: join(folder.path, 'moved-blobs') }
  const store = await openStore({ dataDir })
  const open = { store, dataDir, blobs: configuredBlobs({ dataDir }) }
  const seeded = await seed(open)
  await writeKeyFiles(dataDir)
  // More rows than a batch has, and large ones.
  await sql`insert into activity (id, team_id, endpoint, api_version, created_at)
    select gen_random_uuid(), ${seeded.teamId}::uuid, 'scrape', 'v2', now() from generate_series(1, 2500)`.execute(
    store.db,
  )
  await sql`insert into scrape (id, team_id, document, has_blobs, secret)
    select gen_random_uuid(), ${seeded.teamId}::uuid, convert_to(repeat(md5(n::text), 40000), 'UTF8'), false, n::text
    from generate_series(1, 5) as n`.execute(store.db)
  const original = await readSeeded(open, seeded)
  const tables = await sql<{ sum: string }>`select sum(hashtext(s::text)) as sum from scrape s`.execute(store.db)
  await expect(moveStore({ dataDir }, target)).rejects.toMatchObject({ code: 'DATA_DIR_IN_USE' })
  await store[Symbol.asyncDispose]()
  const before = await hashOf(join(dataDir, 'pg'))

  {
    await using connection = await connectPostgres({ databaseUrl: empty.url, log: undefined })
    await connection.raw.exec(`
      create function refuse() returns event_trigger language plpgsql as $$begin raise exception 'no schemas'; end$$;
      create event trigger refuse on ddl_command_start when tag in ('CREATE SCHEMA') execute function refuse()`)
    await expect(moveStore({ dataDir }, target)).rejects.toThrow('no schemas')
    const { rows: left } = await connection.raw.query(`select tablename from pg_tables where schemaname = 'public'`)
    expect(left).toEqual([])
    await connection.raw.exec('drop event trigger refuse')
  }
  const { rows, blobs } = await moveStore({ dataDir }, target)

  expect(rows).toMatchObject({ activity: 2500, scrape: 5, session: 1, ledger: 1, 'pgboss.job_common': 1 })
  expect(blobs).toBe(3)
  expect(await hashOf(join(dataDir, 'pg'))).toBe(before)
  expect((await readdir(dataDir)).filter((name) => name.includes('copy'))).toEqual([])
  await using moved = await openStore({ dataDir, databaseUrl: empty.url })
  expect(
    await readSeeded({ store: moved, dataDir: folder.path, blobs: configuredBlobs({ ...target, dataDir }) }, seeded),
  ).toEqual(original)
  expect(await sql`select sum(hashtext(s::text)) as sum from scrape s`.execute(moved.db)).toMatchObject({
    rows: tables.rows,
  })
  await expect(moveStore({ dataDir }, target)).rejects.toThrow('The PostgreSQL database is not empty')
})
