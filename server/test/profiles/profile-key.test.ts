import { mkdtempDisposable, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readProfileKey } from '../../src/profiles/profile-key.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'

describeEachStore('the key of profiles', (openStore) => {
  test('is created once, and never replaced while a profile needs it', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-profile-key-'))
    await using store = await openStore()
    const warnings: string[] = []
    const log = { warn: (_facts: unknown, message: string) => void warnings.push(message) }
    const read = async (configured?: string) => readProfileKey({ configured, dataDir: folder.path, store, log })
    const lose = async () => {
      await rm(join(folder.path, 'profile-key'), { force: true })
      await store.db.deleteFrom('setting').where('key', '=', 'profile-key').execute()
    }
    const first = await read()
    expect(await read()).toEqual(first)
    await lose()
    const second = await read()
    expect(second.id).not.toBe(first.id)

    const { team } = await makeTeam(store.db)
    const profileId = uuidV7()
    await store.db.insertInto('profile').values({ id: profileId, teamId: team.id, name: 'p' }).execute()
    const version = {
      profileId,
      version: 1,
      blob: 'b',
      keyId: second.id,
      storedBytes: 1,
      contentBytes: 1,
      browser: 'c',
    }
    await store.db.insertInto('profileVersion').values(version).execute()
    expect(await read()).toEqual(second)
    await lose()

    const missing = { code: 'PROFILE_KEY_MISSING', hint: expect.stringContaining('--profile-key') }
    await expect(read()).rejects.toMatchObject(missing)
    await expect(readFile(join(folder.path, 'profile-key'))).rejects.toThrow('ENOENT')
    await writeFile(join(folder.path, 'profile-key'), 'ab'.repeat(32))
    await expect(read()).rejects.toMatchObject(missing)
    expect(await read(second.bytes.toString('hex'))).toMatchObject({ id: second.id })
    expect(warnings).toEqual([])
    expect((await read('cd'.repeat(32))).bytes.toString('hex')).toBe('cd'.repeat(32))
    expect(warnings).toEqual([expect.stringContaining('another --profile-key')])
  })
})
