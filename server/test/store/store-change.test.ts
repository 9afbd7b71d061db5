import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { assertEmbeddedStoreExpected, assertPostgresExpected } from '../../src/app/check-store-change.ts'
import { openPostgresStore, temporaryFolder } from '../../../test/lab/stores.ts'
import { makeTeam } from './fixture.ts'

test('a data directory is rejected with an empty store of the other kind', async () => {
  await using folder = await temporaryFolder()
  await using store = await openPostgresStore()
  const warnings: string[] = []
  const log = { warn: (_facts: unknown, message: string) => void warnings.push(message) }
  const onPostgres = async () => assertPostgresExpected(store, folder.path, log)
  const embedded = join(folder.path, 'pg')
  await assertEmbeddedStoreExpected(folder.path)
  await mkdir(embedded)

  await expect(onPostgres()).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    hint: expect.stringContaining(`move ${embedded} away`),
  })
  await assertEmbeddedStoreExpected(folder.path)
  await rename(embedded, join(folder.path, 'pg.old'))
  await onPostgres()
  await expect(assertEmbeddedStoreExpected(folder.path)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    hint: expect.stringContaining('DATABASE_URL'),
  })
  await mkdir(embedded)
  await makeTeam(store.db)
  await onPostgres()
  expect(warnings).toEqual([expect.stringContaining('is ignored')])
})
