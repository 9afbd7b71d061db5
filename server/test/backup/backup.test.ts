import { appendFile, cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Artifacts } from '../../src/artifacts/artifacts.ts'
import { backUp } from '../../src/backup/back-up.ts'
import type { BackupManifest } from '../../src/backup/backup-manifest.ts'
import { restore } from '../../src/backup/restore.ts'
import { offerStoreCopies } from '../../src/backup/store-copies.ts'
import { openBlobs } from '../../src/blobs/blobs.ts'
import { configuredBlobs } from '../../src/blobs/configured-blobs.ts'
import { getSession } from '../../src/sessions/session-queries.ts'
import { openStore } from '../../src/store/open.ts'
import { startEmbeddedLab } from '../../../test/lab/lab.ts'
import { canMount, mountSmallDisk } from '../../../test/lab/small-disk.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { fileKind, readSeeded, seed, seededKey, writeKeyFiles, type Seeded } from './fixture.ts'
import { undoMigrationsAfter0024 } from '../store/undo-migrations.ts'

const undo = new AsyncDisposableStack()
let root: string
let dataDir: string
let backup: string
let seeded: Seeded
let original: Awaited<ReturnType<typeof readSeeded>>

const log = { warn: (error: unknown, message: string) => expect.fail(`${message} ${JSON.stringify(error)}`) }

beforeAll(async () => {
  root = undo.use(await temporaryFolder()).path
  dataDir = join(root, 'data')
  backup = join(root, 'backup')
  await using store = await openStore({ dataDir })
  await using _copies = await offerStoreCopies(store, dataDir, log)
  const open = { store, dataDir, blobs: configuredBlobs({ dataDir }) }
  seeded = await seed(open)
  await writeKeyFiles(dataDir)
  original = await readSeeded(open, seeded)

  // Files are stored while it is backed up.
  const session = await getSession(store.db, seeded.sessionId)
  const artifacts = new Artifacts({ store, blobs: await openBlobs(open.blobs), onError: log.warn })
  const writes = { isDone: false }
  const writing = (async () => {
    for (let count = 0; !writes.isDone; count++) {
      const contents = Readable.from([Buffer.from(`file ${count}`)])
      const artifact = { name: `during ${count}`, details: { direction: 'download' }, retentionMs: 3_600_000, contents }
      await artifacts.store(fileKind, session, artifact, AbortSignal.timeout(10_000))
      // On a busy machine, files that are stored without a pause leave no time to the backup.
      await sleep(20)
    }
  })()
  await backUp(backup, { dataDir })
  writes.isDone = true
  await writing
})

afterAll(async () => undo.disposeAsync())

test('a backup of a running server has all data, and only its owner can read it', async () => {
  const manifest = JSON.parse(await readFile(join(backup, 'manifest.json'), 'utf8')) as BackupManifest
  const entries = await readdir(backup, { recursive: true, withFileTypes: true })
  const modes = await Promise.all(
    entries.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).mode & 0o777),
  )

  expect(manifest.store).toMatchObject({ kind: 'pglite', migrations: expect.arrayContaining(['0001-first-tables']) })
  expect(manifest.profileKeys).toEqual([{ id: expect.stringMatching(/^[0-9a-f]{16}$/), isIncluded: true }])
  const paths = manifest.files.map(({ path }) => path.replace(/^(blobs\/\w+)\/.*/, '$1'))
  expect([...new Set(paths)]).toEqual([
    'blobs/artifacts',
    'blobs/profiles',
    'database.tar.zst',
    'keys/api-key',
    'keys/node-id',
    'keys/profile-key',
  ])
  expect(new Set(modes)).toEqual(new Set([0o700, 0o600]))
  // The copy of the database is gone.
  expect((await readdir(dataDir)).filter((name) => /copy|sock/.test(name))).toEqual([])
})

test('a server whose data directory was lost continues from its backup', async () => {
  await rm(dataDir, { recursive: true })

  const { formerData } = await restore(backup, { dataDir })

  expect(formerData).toBeUndefined()
  {
    await using store = await openStore({ dataDir })
    expect(await readSeeded({ store, dataDir, blobs: configuredBlobs({ dataDir }) }, seeded)).toEqual(original)
    // The backup has the contents of every file that is complete in its database.
    const stored = await store.db.selectFrom('artifact').select('id').where('bytes', 'is not', null).execute()
    const blobs = await openBlobs(configuredBlobs({ dataDir }))
    expect(stored.length).toBeGreaterThan(2)
    const missing = (await Promise.all(stored.map(async ({ id }) => blobs.has(`artifacts/${id}`)))).filter(
      (has) => !has,
    )
    expect(missing).toEqual([])
  }
  await using lab = await startEmbeddedLab({ dataDir })
  expect(lab.server.apiKey).toBe('bl-ffffffffffffffffffffffffffffffff')
  const asTeam = { authorization: `Bearer ${seededKey}` }
  const profiles = await lab.api('GET', '/v2/browser/profiles', undefined, asTeam)
  const file = await lab.api('GET', `/v2/browser/${seeded.sessionId}/files/a.txt`, undefined, asTeam)
  const recordings = await lab.api('GET', `/v2/browser/${seeded.sessionId}/recordings`, undefined, asTeam)
  expect(JSON.stringify(profiles.body)).toContain('"shop"')
  expect(file.body).toEqual({ text: 'the download' })
  expect(JSON.stringify(recordings.body)).toContain('console.jsonl')
  // The running server offers copies as well.
  const second = await backUp(join(root, 'second'), { dataDir })
  expect(second.manifest.store.kind).toBe('pglite')
  await expect(restore(backup, { dataDir }, { replace: true })).rejects.toMatchObject({ code: 'DATA_DIR_IN_USE' })
})

test('a backup that is incomplete, damaged, newer or of the other store changes nothing', async () => {
  await using folder = await temporaryFolder()
  const bad = join(folder.path, 'bad')
  const target = { dataDir: join(folder.path, 'data') }
  await cp(backup, bad, { recursive: true })
  const path = join(bad, 'manifest.json')
  const whole = await readFile(path, 'utf8')
  const refused = async (text: string | RegExp, settings: Parameters<typeof restore>[1] = target) => {
    await expect(restore(bad, settings)).rejects.toThrow(text)
    await expect(stat(target.dataDir)).rejects.toThrow('ENOENT')
  }
  const manifest = JSON.parse(whole) as BackupManifest
  const { store } = manifest
  const change = async (changes: object) => writeFile(path, JSON.stringify({ ...manifest, ...changes }))

  await refused('cannot be restored to PostgreSQL', { ...target, databaseUrl: 'postgres://nowhere.invalid/x' })
  await change({ store: { ...store, migrations: [...store.migrations, '9999-from-the-future'] } })
  await refused(/has the schema 9999-from-the-future, which this version does not know/)
  for (const path of ['../api-key', 'blobs/../../x', '/etc/passwd', 'blobs//x', 'blobs/', '.', 'a\\b']) {
    await change({ files: [{ ...manifest.files[0], path }] })
    await refused('files.0.path: not a path inside the backup')
  }
  await change({ format: 2 })
  await refused(/made by Bowline .* the format 2/)
  await writeFile(path, whole.slice(0, -20))
  await refused('is not JSON')
  await rm(path)
  await refused('the backup was interrupted')
  await writeFile(path, whole)
  await appendFile(join(bad, 'database.tar.zst'), 'x')
  await refused(/database\.tar\.zst .* is damaged/)
  await rm(join(bad, 'database.tar.zst'))
  await refused(/database\.tar\.zst .* cannot be read/)
  await expect(backUp(bad, { dataDir })).rejects.toMatchObject({ code: 'LOCAL_FILE_FAILED' })
  await expect(backUp(join(dataDir, 'blobs', 'x'), { dataDir })).rejects.toThrow('among the blobs')
  await expect(backUp(join(folder.path, 'none'), target)).rejects.toThrow('has no embedded database')
})

test.runIf(canMount)('a backup that does not fit leaves nothing behind', async () => {
  await using disk = await mountSmallDisk(1)

  const failed = backUp(join(disk.path, 'backup'), { dataDir })

  await expect(failed).rejects.toThrow(`The disk of ${join(disk.path, 'backup')} is full`)
  expect(await readdir(disk.path, { recursive: true })).toEqual(['backup'])
})

test('a data directory with data is replaced only on request, and its contents are kept', async () => {
  await using store = await openStore({ dataDir })
  await store.db.insertInto('setting').values({ key: 'since', value: 'then' }).execute()
  await undoMigrationsAfter0024(store.db)
  await store[Symbol.asyncDispose]()
  // The server is stopped.
  const older = join(root, 'older')
  await backUp(older, { dataDir })

  await expect(restore(backup, { dataDir })).rejects.toMatchObject({
    code: 'STORE_FAILED',
    hint: expect.stringContaining('--replace'),
  })
  const { formerData = '' } = await restore(backup, { dataDir }, { replace: true })

  expect((await readdir(formerData)).toSorted()).toEqual([
    'api-key',
    'node-id',
    'pending-profiles',
    'pg',
    'profile-key',
  ])
  const since = async () => {
    await using restored = await openStore({ dataDir })
    const rows = await restored.db.selectFrom('setting').select('value').where('key', '=', 'since').execute()
    const { rows: columns } = await sql`select 1 from session where alive_until is null`.execute(restored.db)
    return { rows, sessions: columns.length }
  }
  expect(await since()).toEqual({ rows: [], sessions: 1 })
  // A backup of an older schema is migrated.
  await restore(older, { dataDir }, { replace: true })
  expect(await since()).toEqual({ rows: [{ value: 'then' }], sessions: 1 })
})

test('a server refuses to start on an unfinished restore and on a newer schema', async () => {
  const start = async () => {
    await using _lab = await startEmbeddedLab({ dataDir })
  }
  {
    await using store = await openStore({ dataDir })
    await sql`insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '')`.execute(store.db)
  }
  await expect(start()).rejects.toMatchObject({
    code: 'STORE_FAILED',
    message: expect.stringContaining('9999-from-the-future of a newer version of Bowline'),
    hint: expect.stringContaining('restore a backup'),
  })
  await writeFile(join(dataDir, 'restoring'), '')
  await expect(start()).rejects.toMatchObject({ code: 'CONFIG_INVALID', hint: expect.stringContaining('again') })
})
