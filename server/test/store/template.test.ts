import { chmod, copyFile, lutimes, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { templatePath } from '../../src/store/create-pglite-folder.ts'
import { openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { packFolder, unpackFolder } from '../../src/store/template.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

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

// Creating a database from scratch takes five times as long as everything else here.
describe('the database template', () => {
  const stack = new AsyncDisposableStack()
  let folder = ''
  let template = ''
  let created: Store
  const warnings: string[] = []
  const log = { warn: (_facts: object, message: string) => warnings.push(message) }

  beforeAll(async () => {
    folder = stack.use(await temporaryFolder()).path
    const cacheDir = join(folder, 'cache')
    template = await templatePath({ cacheDir })
    // A folder in its place can neither be read nor be replaced by a file.
    await mkdir(template, { recursive: true })
    created = stack.use(await openStore({ dataDir: join(folder, 'created'), cacheDir, log }))
  })
  afterAll(() => stack.disposeAsync())

  test('is optional: a failure to read or to write it only logs a warning', async () => {
    await created.ping()

    expect(warnings).toEqual([expect.stringContaining('unreadable'), expect.stringContaining('could not be cached')])
    expect(await readdir(dirname(template))).toEqual([basename(template)])
  })

  test('is rejected if it is damaged or other users can write it, and can be replaced', async () => {
    const [source, unpacked] = [join(folder, 'source'), join(folder, 'unpacked')]
    const packed = join(folder, 'packed.zst')
    await mkdir(join(source, 'base'), { recursive: true })
    await writeFile(join(source, 'base', 'file'), 'content '.repeat(10_000))
    await packFolder(source, packed)
    const whole = await readFile(packed)
    const damaged = Buffer.from(whole)
    damaged.writeUInt8(damaged.readUInt8(damaged.length - 1) ^ 0xff, damaged.length - 1)

    await writeFile(packed, damaged)
    await expect(unpackFolder(packed, unpacked)).rejects.toThrow()
    await packFolder(source, packed)
    await chmod(packed, 0o666)
    await expect(unpackFolder(packed, unpacked)).rejects.toThrow('other users can write it')
    await chmod(packed, 0o600)
    await unpackFolder(packed, unpacked)

    expect(await readFile(packed)).toEqual(whole)
    expect(await readFile(join(unpacked, 'base', 'file'), 'utf8')).toHaveLength(80_000)
  })

  describe('creates a store that', () => {
    const named = (letter: string): string => `store-${letter.repeat(16)}.zst`
    const [recent, link, directory] = [named('a'), named('b'), named('c')]
    const old = new Date(Date.now() - 31 * 86_400_000)
    let used = ''
    let cacheDir = ''
    let store: Store
    let dataDir = ''
    beforeAll(async () => {
      used = basename(await templatePath())
      cacheDir = join(folder, 'shared')
      await mkdir(join(cacheDir, directory), { recursive: true })
      await copyFile(await templatePath(), join(cacheDir, used))
      await symlink('notes.txt', join(cacheDir, link))
      for (const name of [recent, named('d'), `${named('d')}.${uuidV7()}`, 'notes.txt'])
        await writeFile(join(cacheDir, name), '')
      for (const name of await readdir(cacheDir)) if (name !== recent) await lutimes(join(cacheDir, name), old, old)
      dataDir = join(folder, 'data')
      // Left by an interrupted first start, which is repeated.
      await mkdir(join(dataDir, 'pg.new', 'base'), { recursive: true })
      warnings.length = 0
      store = stack.use(await openStore({ dataDir, cacheDir, log }))
    })

    test('has deleted the templates that were not used for 30 days', async () => {
      await store.ping()

      expect(new Set(await readdir(cacheDir))).toEqual(new Set([used, recent, link, directory, 'notes.txt']))
      expect((await stat(join(cacheDir, used))).mtimeMs).toBeGreaterThan(old.getTime())
      expect(warnings).toEqual([])
    })

    test('has the same schema as migrations', async () => {
      expect(await describeStore(store)).toEqual(await describeStore(created))
    })

    test('has nothing left of an interrupted first start', async () => {
      await store.ping()

      expect(await readdir(dataDir)).not.toContain('pg.new')
    })

    test('only its owner may access', async () => {
      const folders = [join(folder, 'created'), join(folder, 'created', 'pg'), join(dataDir, 'pg')]
      const modes = await Promise.all(folders.map(async (path) => (await stat(path)).mode & 0o077))

      expect(modes).toEqual([0, 0, 0])
    })

    test('syncs every commit', async () => {
      const { rows } = await sql<{ fsync: string; method: string }>`
        select current_setting('fsync') as fsync, current_setting('wal_sync_method') as method`.execute(store.db)

      expect(rows).toEqual([{ fsync: 'on', method: 'fsync' }])
    })
  })
})
