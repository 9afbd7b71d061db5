import { sql, type Kysely, type KyselyPlugin } from 'kysely'
import { describe, expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { Profiles } from '../../src/profiles/profiles.ts'
import { profileWriters } from '../../src/sessions/session-queries.ts'
import { openBlobs } from '../../src/blobs/blobs.ts'
import {
  findHolder,
  releaseLease,
  releaseLeasesOfNode,
  renewLeases,
  takeLease,
  type Lease,
} from '../../src/profiles/lease-queries.ts'
import {
  commitVersion,
  commitVersionOnce,
  deleteProfile,
  findCurrentVersion,
  pruneVersions,
} from '../../src/profiles/profile-queries.ts'
import type { Database } from '../../src/store/schema.ts'
import { describeEachStore, temporaryFolder } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'

const nodeId = '00000000-0000-7000-8000-000000000001'

describeEachStore('a profile', (openStore) => {
  const take = async (db: Kysely<Database>, teamId: string, name = 'acme'): Promise<Lease | undefined> => {
    const taken = await takeLease(db, { teamId, name, nodeId, sessionId: uuidV7() })
    return 'profile' in taken ? { profileId: taken.profile.id, fence: taken.profile.fence } : undefined
  }

  const versionOf = (blob: string) => ({
    blob,
    keyId: 'key',
    storedBytes: 1,
    contentBytes: 3_000_000_000,
    browser: 'x',
    sessionId: undefined,
  })

  const commit = async (db: Kysely<Database>, lease: Lease, blob = uuidV7()) =>
    commitVersion(db, lease, versionOf(blob))

  const expireLeases = async (db: Kysely<Database>): Promise<void> => {
    await sql`update profile set lease_expires_at = now() - interval '1 second'`.execute(db)
  }

  test('is leased to only one of twenty concurrent callers', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db)

    const leases = await Promise.all(Array.from({ length: 20 }, async () => take(store.db, team.id)))

    expect(leases.filter((lease) => lease !== undefined)).toHaveLength(1)
  })

  test('gets one version when the response to its first commit was lost, even if another session has written it since', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db)
    const first = (await take(store.db, team.id))!
    const once = async () => commitVersionOnce(store.db, first, versionOf('first'))

    await expect(once()).resolves.toMatchObject({ version: 1 })
    await expect(once()).resolves.toMatchObject({ version: 1 })
    const second = (await take(store.db, team.id))!
    await expect(once()).resolves.toMatchObject({ version: 1 })
    await expect(commit(store.db, second)).resolves.toMatchObject({ version: 2 })
    await expect(commitVersionOnce(store.db, first, versionOf('late'))).resolves.toBeUndefined()
  })

  test('is unlocked when reading its current version fails', async () => {
    await using store = await openStore()
    await using folder = await temporaryFolder()
    const { team } = await makeTeam(store.db)
    const name = { teamId: team.id, name: 'acme' }
    await commit(store.db, (await take(store.db, team.id))!)
    const failing: KyselyPlugin = {
      transformQuery: ({ node }) => {
        if (node.kind === 'SelectQueryNode') throw new Error('The store has failed')
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const profiles = await Profiles.create({
      sessions: profileWriters(store.db),
      dataDir: folder.path,
      store: { ...store, db: store.db.withPlugin(failing) },
      blobs: await openBlobs({ kind: 'folder', path: folder.path }),
      key: { bytes: Buffer.alloc(32), id: 'key' },
      nodeId,
      quotaBytes: 1,
      keepVersions: 1,
      onError: (error) => expect.fail(String(error)),
    })

    const opening = profiles.acquire({ ...name, isWritable: true, sessionId: uuidV7() })

    await expect(opening).rejects.toThrow('The store has failed')
    await profiles.renewLeases()
    expect(await findHolder(store.db, name)).toBeUndefined()
  })

  test('has a holder until its lease is released', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db)
    const sessionId = uuidV7()
    const taken = await takeLease(store.db, { teamId: team.id, name: 'acme', nodeId, sessionId })
    if (!('profile' in taken)) throw new Error('it was not free')
    expect(await findHolder(store.db, { teamId: team.id, name: 'acme' })).toMatchObject({ sessionId })

    await releaseLease(store.db, { profileId: taken.profile.id, fence: taken.profile.fence })

    expect(await findHolder(store.db, { teamId: team.id, name: 'acme' })).toBeUndefined()
    expect(await take(store.db, team.id)).toBeDefined()
  })

  test('is free when its lease has expired', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db)
    await take(store.db, team.id)

    await expireLeases(store.db)

    expect(await take(store.db, team.id)).toBeDefined()
  })

  test('is free when its lease would last longer than a new one, as after the clock was set back', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db)
    await take(store.db, team.id)
    await sql`update profile set lease_expires_at = lease_expires_at + interval '1 hour'`.execute(store.db)

    expect(await take(store.db, team.id)).toMatchObject({ fence: 2 })
  })

  test('stays leased while its newest lease is renewed', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db)
    const late = await take(store.db, team.id)
    await expireLeases(store.db)
    const lease = await take(store.db, team.id)
    await expireLeases(store.db)

    await renewLeases(store.db, [late!])
    const isFree = (await findHolder(store.db, { teamId: team.id, name: 'acme' })) === undefined
    await renewLeases(store.db, [lease!])

    expect(isFree).toBe(true)
    expect(await take(store.db, team.id)).toBeUndefined()
  })

  test('rejects versions of a writer with an outdated lease', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db)
    const late = await take(store.db, team.id)
    await expireLeases(store.db)
    const lease = await take(store.db, team.id)
    const saved = await commit(store.db, lease!, 'newer')

    expect(await commit(store.db, late!, 'older')).toBeUndefined()

    expect(saved).toMatchObject({ version: 1, contentBytes: 3_000_000_000 })
    expect(await findCurrentVersion(store.db, { teamId: team.id, name: 'acme' })).toMatchObject({ blob: 'newer' })
  })

  test('rejects an outdated lease even if the newer one has saved nothing', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db)
    const late = await take(store.db, team.id)
    await expireLeases(store.db)
    await releaseLease(store.db, (await take(store.db, team.id))!)

    expect(await commit(store.db, late!)).toBeUndefined()
  })

  test('is free at once when the node of its writer is dead', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db)
    await take(store.db, team.id)
    await take(store.db, team.id, 'other')

    await releaseLeasesOfNode(store.db, nodeId)

    expect(await take(store.db, team.id)).toBeDefined()
    expect(await take(store.db, team.id, 'other')).toBeDefined()
  })

  test('keeps the given number of versions and returns the blobs of the others', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db)
    let profileId = ''
    for (const blob of ['one', 'two', 'three', 'four']) {
      const lease = await take(store.db, team.id)
      profileId = lease!.profileId
      await commit(store.db, lease!, blob)
    }

    expect((await pruneVersions(store.db, profileId, 2)).toSorted()).toEqual(['one', 'two'])
    expect(await pruneVersions(store.db, profileId, 2)).toEqual([])
  })

  test('cannot be deleted while it is leased, and returns all its blobs when deleted', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db)
    const name = { teamId: team.id, name: 'acme' }
    await commit(store.db, (await take(store.db, team.id))!, 'one')
    const lease = await take(store.db, team.id)

    expect(await deleteProfile(store.db, name)).toBeUndefined()
    await commit(store.db, lease!, 'two')

    expect((await deleteProfile(store.db, name))?.toSorted()).toEqual(['one', 'two'])
    expect(await findCurrentVersion(store.db, name)).toBeUndefined()
  })

  describe('of one team', () => {
    test('is independent of the same name in another team', async () => {
      await using store = await openStore()
      const ours = await makeTeam(store.db)
      const theirs = await makeTeam(store.db)
      await commit(store.db, (await take(store.db, ours.team.id))!)

      expect(await take(store.db, theirs.team.id)).toBeDefined()
      expect(await findCurrentVersion(store.db, { teamId: theirs.team.id, name: 'acme' })).toBeUndefined()
    })
  })
})
