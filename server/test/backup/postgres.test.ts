import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { backUp } from '../../src/backup/back-up.ts'
import { restore } from '../../src/backup/restore.ts'
import { openBlobs } from '../../src/blobs/blobs.ts'
import { configuredBlobs } from '../../src/blobs/configured-blobs.ts'
import { registerNode, removeNode } from '../../src/nodes/node-queries.ts'
import { openStore } from '../../src/store/open.ts'
import { openS3Location } from '../../../test/lab/blob-locations.ts'
import { labS3Credentials } from '../../../test/lab/bucket.ts'
import { sharedPostgres } from '../../../test/lab/shared-postgres.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'
import { readSeeded, seed, writeKeyFiles } from './fixture.ts'

test('servers on PostgreSQL and S3 continue from a backup in S3, and only an idle database is replaced', async () => {
  await using folder = await temporaryFolder()
  await using bucket = await openS3Location()
  const postgres = await sharedPostgres()
  await using database = await postgres.createDatabase()
  const settings = {
    dataDir: join(folder.path, 'data'),
    databaseUrl: database.url,
    blobs: bucket.address.replace('some/prefix', 'blobs'),
    s3AccessKeyId: labS3Credentials.accessKeyId,
    s3SecretAccessKey: labS3Credentials.secretAccessKey,
    environment: process.env,
  }
  const { dataDir } = settings
  const blobs = configuredBlobs(settings)
  await using store = await openStore(settings)
  const open = { store, dataDir, blobs }
  const seeded = await seed(open)
  await mkdir(dataDir)
  await writeKeyFiles(dataDir)
  const original = await readSeeded(open, seeded)
  const target = bucket.address.replace('some/prefix', 'backups/1')

  const { location, manifest } = await backUp(target, settings)

  expect(location).toBe('s3://lab/backups/1')
  expect(manifest.store).toMatchObject({ kind: 'postgres', schema: 'public' })
  expect(manifest.profileKeys).toMatchObject([{ isIncluded: true }])
  await expect(backUp(target, settings)).rejects.toThrow('another backup')
  await expect(backUp(bucket.address.replace('some/prefix', 'blobs/x'), settings)).rejects.toThrow('among the blobs')

  // Everything is lost.
  await rm(dataDir, { recursive: true })
  const lost = await openBlobs(blobs)
  for await (const key of lost.list()) await lost.delete(key)
  await using empty = await postgres.createDatabase({ isEmpty: true })
  const restored = { ...settings, databaseUrl: empty.url }
  await restore(target, restored)
  await using after = await openStore(restored)
  expect(await readSeeded({ ...open, store: after }, seeded)).toEqual(original)

  const node = await registerNode(after.db, {
    id: '00000000-0000-7000-8000-000000000009',
    slots: 1,
    url: 'http://a.example',
  })
  await after.db.insertInto('setting').values({ key: 'since', value: 'then' }).execute()
  await expect(restore(target, restored)).rejects.toMatchObject({ hint: expect.stringContaining('--replace') })
  await expect(restore(target, restored, { replace: true })).rejects.toThrow(
    'running on the PostgreSQL database: http://a',
  )
  await removeNode(after.db, node.id)
  await sql`create table invoices (id int)`.execute(after.db)
  await expect(restore(target, restored, { replace: true })).rejects.toThrow("not Bowline's: invoices")
  await sql`drop table invoices`.execute(after.db)
  await restore(target, restored, { replace: true })
  expect(await after.db.selectFrom('setting').select('key').execute()).toEqual([{ key: 'profile-key' }])
  expect(await readSeeded({ ...open, store: after }, seeded)).toEqual(original)

  const environment = { PATH: folder.path }
  await expect(backUp(join(folder.path, 'none'), { ...restored, environment })).rejects.toMatchObject({
    code: 'PACKAGE_MISSING',
    message: expect.stringContaining('pg_dump is not installed'),
    hint: expect.stringContaining('postgresql-client'),
  })
})
