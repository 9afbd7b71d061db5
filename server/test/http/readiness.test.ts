import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readDisk, reasonsNotReady } from '../../src/http/readiness.ts'
import { openStore } from '../../src/store/open.ts'
import { startLab } from '../../../test/lab/lab.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

const ready = {
  isStoreOpen: true,
  areWritesFailing: false,
  disk: { freeMb: 1000, isFull: false },
  isWarm: true,
  failedBrowsers: 0,
  warm: 1,
  isDraining: false,
}

test.each([
  [100_000, 4096, []],
  [10, 4096, ['The disk of the data directory is full: 0 MB left. Free up space.']],
  [10_000, 512, ['The disk of the data directory is full: 5 MB left. Free up space.']],
])('with %i free blocks of %i bytes, the reasons for not being ready are %j', async (bavail, bsize, reasons) => {
  const disk = await readDisk('/', (async () => ({ bavail, bsize })) as never)

  expect(reasonsNotReady({ ...ready, disk })).toEqual(reasons)
})

test('a data directory that cannot be read is a reason for not being ready', () => {
  expect(reasonsNotReady({ ...ready, disk: undefined })).toEqual(['The data directory cannot be read.'])
})

test.each([
  [0, 3, ['The last 3 browsers failed to start. See the server log.']],
  [0, 2, []],
  [1, 9, []],
])('with %i warm browsers, after %i that failed to start, the reasons are %j', (warm, failedBrowsers, reasons) => {
  expect(reasonsNotReady({ ...ready, warm, failedBrowsers })).toEqual(reasons)
})

test('/readyz reports failing writes to the store, and is ready again afterwards', { timeout: 60_000 }, async () => {
  await using database = await (await sharedPostgres()).createDatabase()
  await using lab = await startLab({ databaseUrl: database.url, warm: 1 })
  await using folder = await temporaryFolder()
  await using store = await openStore({ dataDir: folder.path, databaseUrl: database.url })
  const readyz = async () => lab.api('GET', '/readyz', undefined, {})
  await expect.poll(async () => (await readyz()).status, { timeout: 20_000 }).toBe(200)

  await sql`alter table node rename to hidden`.execute(store.db)
  await expect.poll(async () => (await readyz()).status, { timeout: 20_000 }).toBe(503)
  expect((await readyz()).body).toMatchObject({
    status: 'unavailable',
    reasons: [expect.stringContaining('Writes to the database fail')],
    store: { state: 'open', isWritable: false },
  })
  expect((await lab.api('GET', '/metrics')).body['text']).toMatch(/^bowline_ready 0$/m)

  await sql`alter table hidden rename to node`.execute(store.db)
  await expect.poll(async () => (await readyz()).status, { timeout: 20_000 }).toBe(200)
  expect((await lab.api('GET', '/readyz')).body).toMatchObject({ status: 'ok', reasons: [], disk: { isFull: false } })
})
