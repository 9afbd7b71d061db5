import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PendingSaves, type PendingSavesDeps } from '../../src/profiles/pending-saves.ts'
import { canMount, mountSmallDisk } from '../../../test/lab/small-disk.ts'
import { temporaryFolder } from '../../../test/lab/stores.ts'

const lease = { profileId: '01a20903-5deb-7308-a7f5-b0d111ffcdf6', fence: 1 }
const archive = { blob: 'profiles/01a20903-5deb-7308-a7f5-b0d111ffcdf7', keyId: 'key', contentBytes: 1, storedBytes: 1 }
const request = { userDataDir: '', sessionCookiesJson: '', browser: 'HeadlessChrome/1', sessionId: 'session' }

async function open(dataDir: string): Promise<PendingSaves> {
  return PendingSaves.open({
    dataDir,
    onLease: () => undefined,
    onError: () => undefined,
  } as unknown as PendingSavesDeps)
}

test.skipIf(!canMount)('a full disk leaves no incomplete record of a profile (mounting it needs root)', async () => {
  await using disk = await mountSmallDisk(1)
  await using saves = await open(disk.path)
  disk.fill()

  await expect(saves.addStored(lease, 'acme', archive, request)).rejects.toMatchObject({ code: 'ENOSPC' })

  expect(await readdir(join(disk.path, 'pending-profiles'))).toEqual(['.incomplete'])
})

test('what a crash has left incomplete is deleted at the next start, but not a record that cannot be read', async () => {
  await using folder = await temporaryFolder()
  const pending = join(folder.path, 'pending-profiles')
  await mkdir(join(pending, 'profiles'), { recursive: true })
  for (const name of ['profiles-a.json.new', 'profiles-b.json', 'profiles/a', 'profiles/b'])
    await writeFile(join(pending, name), '{')
  await using saves = await open(folder.path)

  await saves.resume()

  expect(await readdir(pending, { recursive: true })).toEqual([
    '.incomplete',
    'profiles',
    'profiles-b.json',
    join('profiles', 'b'),
  ])
})
