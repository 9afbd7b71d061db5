import { mkdtempDisposable, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkEncryptedData } from '../../src/cli/check-encrypted-data.ts'
import { readProfileKey } from '../../src/profiles/profile-key.ts'
import { countSecretsByKey } from '../../src/secrets/secret-queries.ts'
import { Secrets } from '../../src/secrets/secrets.ts'
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

  test('is not replaced while only a secret needs it, and a configured key that does not open it is reported', async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'bowline-profile-key-'))
    await using store = await openStore()
    const { team } = await makeTeam(store.db)
    const warnings: unknown[] = []
    const log = { warn: (...line: unknown[]) => void warnings.push(line) }
    const read = async (configured?: string) =>
      readProfileKey({ configured, dataDir: folder.path, store, secrets: await countSecretsByKey(store.db), log })
    const key = await read()
    await new Secrets({ store, key }).set(
      { teamId: team.id, name: 'PIN' },
      { value: '1', origins: ['https://a.example'] },
    )
    expect(await read()).toEqual(key)
    await rm(join(folder.path, 'profile-key'), { force: true })
    await store.db.deleteFrom('setting').where('key', '=', 'profile-key').execute()
    const config = { profileKey: undefined, previousProfileKeys: [], dataDir: folder.path }

    const message = expect.stringContaining('The key that encrypts 1 secret is missing')
    await expect(read()).rejects.toMatchObject({ code: 'PROFILE_KEY_MISSING', message })
    await read('cd'.repeat(32))
    expect(warnings).toEqual([
      [expect.objectContaining({ neededKeyIds: [key.id] }), expect.stringMatching(/^1 secret .*another --profile-key/)],
    ])
    expect(await checkEncryptedData(config, store.kind, store.db)).toMatchObject({
      state: 'bad',
      detail: expect.stringContaining(key.id),
    })
    const found = { ...config, previousProfileKeys: [key.bytes.toString('hex')] }
    expect(await checkEncryptedData(found, store.kind, store.db)).toMatchObject({
      state: 'good',
      detail: 'the key opens 1 secret',
    })
  })
})
