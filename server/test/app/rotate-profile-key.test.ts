import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { expect, test } from 'vitest'
import { startReencrypting } from '../../src/app/start-reencrypting.ts'
import type { AuditEvent } from '../../src/audit/audit-log.ts'
import { openBlobs } from '../../src/blobs/blobs.ts'
import { readArchive, writeArchive } from '../../src/profiles/archives.ts'
import { readProfileKey, type ProfileKey } from '../../src/profiles/profile-key.ts'
import { Secrets } from '../../src/secrets/secrets.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { openPostgresStore, temporaryFolder } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'

test('profiles and secrets of an earlier key open during and after its rotation, and an interruption loses none', async () => {
  await using folder = await temporaryFolder()
  await using store = await openPostgresStore()
  const { team } = await makeTeam(store.db)
  const blobs = await openBlobs({ kind: 'folder', path: join(folder.path, 'blobs') })
  const profileId = uuidV7()
  await store.db.insertInto('profile').values({ id: profileId, teamId: team.id, name: 'acme' }).execute()
  const readKey = async (configured?: string, previous?: string[]) =>
    readProfileKey({ configured, previous, dataDir: folder.path, store })
  const versions = async () =>
    store.db.selectFrom('profileVersion').selectAll().where('profileId', '=', profileId).orderBy('version').execute()
  const save = async (key: ProfileKey, version: number) => {
    await using profile = await temporaryFolder()
    const from = { userDataDir: profile.path, sessionCookiesJson: `["version ${version}"]` }
    const archive = await writeArchive({ blobs, key, quotaBytes: 1e6 }, profileId, from)
    await store.db
      .insertInto('profileVersion')
      .values({ ...archive, profileId, version, browser: 'c' })
      .execute()
  }
  const open = async (key: ProfileKey) =>
    Promise.all(
      (await versions()).map(async (version) => {
        await using profile = await temporaryFolder()
        return await readArchive({ blobs, key, quotaBytes: 1e6 }, version, profile.path)
      }),
    )
  const secret = { teamId: team.id, name: 'PASSWORD' }
  const reveal = async (key: ProfileKey) => (await new Secrets({ store, key }).reveal(secret)).text
  const events: AuditEvent[] = []
  const errors: object[] = []
  const log = { error: (facts: object) => void errors.push(facts) } as unknown as Logger
  const rotate = (key: ProfileKey, from = blobs) => {
    const audit = { record: async (event: AuditEvent) => void events.push(event) }
    return startReencrypting({ store, blobs: from, secrets: new Secrets({ store, key }), key, audit, log })
  }

  const oldKey = await readKey()
  await new Secrets({ store, key: oldKey }).set(secret, { value: 'kept', origins: ['https://a.example'] })
  await save(oldKey, 1)
  await save(oldKey, 2)
  // The key that the server had created and stored counts as an earlier one.
  const newHex = randomBytes(32).toString('hex')
  const newKey = await readKey(newHex)
  expect([await open(newKey), await reveal(newKey)]).toEqual([['["version 1"]', '["version 2"]'], 'kept'])

  // The server stops while it writes the second version.
  let written = 0
  const interrupted = rotate(newKey, {
    ...blobs,
    write: async (blob, contents, signal) => {
      if (++written === 1) return blobs.write(blob, contents, signal)
      contents.on('error', () => undefined)
      void interrupted[Symbol.asyncDispose]()
      throw new Error('The storage has failed')
    },
  })
  await expect.poll(() => written).toBe(2)
  await interrupted[Symbol.asyncDispose]()
  expect((await versions()).map(({ keyId }) => keyId)).toEqual([newKey.id, oldKey.id])
  expect(await open(newKey)).toEqual(['["version 1"]', '["version 2"]'])
  await expect(open(oldKey)).rejects.toMatchObject({ code: 'PROFILE_UNREADABLE' })

  // Two servers start at the same time.
  const before = events.length
  const running = [rotate(newKey), rotate(newKey)]
  await expect.poll(async () => new Set((await versions()).map(({ keyId }) => keyId))).toEqual(new Set([newKey.id]))
  await expect.poll(() => events.length).toBeGreaterThan(before)
  for (const each of running) await each[Symbol.asyncDispose]()
  expect(events.at(-1)).toMatchObject({ action: 'profile-key.rotated', details: { keyId: newKey.id } })
  expect(JSON.stringify(events)).not.toContain(newHex)
  expect(errors).toEqual([])

  const alone = { ...newKey, previous: [] }
  expect([await open(alone), await reveal(alone)]).toEqual([['["version 1"]', '["version 2"]'], 'kept'])
})
