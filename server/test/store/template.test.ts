import { chmod, copyFile, lutimes, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { templatePath } from '../../src/store/create-pglite-folder.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { packFolder, unpackFolder } from '../../src/store/template.ts'
import { openPgliteStore, temporaryFolder } from '../../../test/lab/stores.ts'

/** Reads the schema: columns, indexes, constraints and applied migrations. */
async function describeStore({ db }: Store): Promise<unknown> {
  return {
    columns: (
      await sql`select table_name, column_name, data_type, is_nullable, column_default
      from information_schema.columns where table_schema = 'public' order by 1, ordinal_position`.execute(db)
    ).rows,
    indexes: (await sql`select indexdef from pg_indexes where schemaname = 'public' order by 1`.execute(db)).rows,
    constraints: (
      await sql`select conname, pg_get_constraintdef(oid) as definition from pg_constraint
      where connamespace = 'public'::regnamespace order by 1`.execute(db)
    ).rows,
    steps: (await sql`select name from kysely_migration order by 1`.execute(db)).rows,
  }
}

describe('the database template', () => {
  const stack = new AsyncDisposableStack()
  let folder = ''
  let cacheDir = ''
  let first: Store
  const warnings: string[] = []
  const log = { warn: (_facts: object, message: string) => warnings.push(message) }

  beforeAll(async () => {
    folder = stack.use(await temporaryFolder()).path
    cacheDir = join(folder, 'cache')
    await writeFile(join(folder, 'file'), '')
    first = stack.use(await openStore({ dataDir: join(folder, 'first'), cacheDir: join(folder, 'file', 'cache'), log }))
  })
  afterAll(() => stack.disposeAsync())

  test('is optional: failing to cache it only logs a warning', async () => {
    await first.ping()

    expect(warnings.at(-1)).toContain('could not be cached')
  })

  test('is replaced with a warning if it is damaged', async () => {
    const template = await templatePath({ cacheDir })
    const damaged = await readFile(await templatePath())
    damaged.writeUInt8(damaged.readUInt8(1_000_000) ^ 0xff, 1_000_000)
    await mkdir(cacheDir, { recursive: true })
    await writeFile(template, damaged)
    warnings.length = 0

    await using store = await openStore({ dataDir: join(folder, 'second'), cacheDir, log })

    await store.ping()
    expect(warnings).toEqual([expect.stringContaining('unreadable')])
    expect(await readFile(template)).not.toEqual(damaged)
    expect(await readdir(cacheDir)).toEqual([expect.stringMatching(/^store-[0-9a-f]{16}\.zst$/)])
  })

  test('is not read if other users can write it', async () => {
    const packed = join(folder, 'packed.zst')
    await packFolder(cacheDir, packed)
    await chmod(packed, 0o666)

    await expect(unpackFolder(packed, join(folder, 'unpacked'))).rejects.toThrow('other users can write it')
    await chmod(packed, 0o600)
    await unpackFolder(packed, join(folder, 'unpacked'))
    expect(await readdir(join(folder, 'unpacked'))).toEqual(await readdir(cacheDir))
  })

  test('is deleted once it has not been used for 30 days', async () => {
    const named = (letter: string): string => `store-${letter.repeat(16)}.zst`
    const [used, recent, link, directory] = [basename(await templatePath()), named('a'), named('b'), named('c')]
    const dir = join(folder, 'shared')
    await mkdir(join(dir, directory), { recursive: true })
    await copyFile(await templatePath(), join(dir, used))
    await symlink('notes.txt', join(dir, link))
    for (const name of [recent, named('d'), `${named('d')}.${uuidV7()}`, 'notes.txt'])
      await writeFile(join(dir, name), '')
    const old = new Date(Date.now() - 31 * 86_400_000)
    for (const name of await readdir(dir)) if (name !== recent) await lutimes(join(dir, name), old, old)

    await using store = await openStore({ dataDir: join(folder, 'swept'), cacheDir: dir, log })

    await store.ping()
    expect(new Set(await readdir(dir))).toEqual(new Set([used, recent, link, directory, 'notes.txt']))
    expect((await stat(join(dir, used))).mtimeMs).toBeGreaterThan(old.getTime())
  })

  test('creates a store with the same schema as migrations', async () => {
    const kept = await readdir(dirname(await templatePath()))

    await using third = await openStore({ dataDir: join(folder, 'third') })

    expect(kept).toContain(basename(await templatePath()))
    expect(await readdir(dirname(await templatePath()))).toEqual(kept)
    expect(await describeStore(third)).toEqual(await describeStore(first))
  })
})

test('an interrupted first start is repeated', async () => {
  await using folder = await temporaryFolder()
  await mkdir(join(folder.path, 'pg.new', 'base'), { recursive: true })

  await using store = await openStore({ dataDir: folder.path })

  await store.ping()
  expect(await readdir(folder.path)).not.toContain('pg.new')
})

test('only the owner may access the data directory', async () => {
  await using folder = await temporaryFolder()
  await using _store = await openStore({ dataDir: join(folder.path, 'data') })

  expect((await stat(join(folder.path, 'data'))).mode & 0o077).toBe(0)
  expect((await stat(join(folder.path, 'data', 'pg'))).mode & 0o077).toBe(0)
})

test('the embedded database syncs every commit', async () => {
  await using store = await openPgliteStore()

  const { rows } = await sql<{ fsync: string; method: string }>`
    select current_setting('fsync') as fsync, current_setting('wal_sync_method') as method`.execute(store.db)

  expect(rows).toEqual([{ fsync: 'on', method: 'fsync' }])
})
