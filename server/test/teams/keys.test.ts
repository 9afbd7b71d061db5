import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import {
  ensureBootstrapKey,
  findKeyByHash,
  insertKey,
  listKeys,
  reinstateKey,
  retireBootstrapKeys,
  revokeKey,
  setKeysLastUsed,
} from '../../src/teams/key-queries.ts'
import { registerNode } from '../../src/nodes/node-queries.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'

describeEachStore('keys', (openStore) => {
  test('a key is found by its hash, with its team', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db)

    const found = await findKeyByHash(store.db, key.hash)

    expect(found).toEqual(key)
    expect(found).toMatchObject({ teamId: team.id, teamName: team.name, role: 'member', lastUsedAt: undefined })
  })

  test('an unknown hash finds nothing', async () => {
    await using store = await openStore()

    expect(await findKeyByHash(store.db, 'unknown')).toBeUndefined()
  })

  test('two keys cannot share a hash', async () => {
    await using store = await openStore()
    const { key } = await makeTeam(store.db)

    const again = insertKey(store.db, { ...key, id: uuidV7() })

    await expect(again).rejects.toMatchObject({ code: '23505' })
  })

  test('a revoked key is no longer found, and stays on the list with the time', async () => {
    await using store = await openStore()
    const { key } = await makeTeam(store.db)

    const revoked = await revokeKey(store.db, key.id)
    const again = await revokeKey(store.db, key.id)

    expect(await findKeyByHash(store.db, key.hash)).toBeUndefined()
    expect(revoked?.revokedAt).toBeInstanceOf(Date)
    expect(again).toEqual(revoked)
    expect(await listKeys(store.db)).toEqual([revoked])
  })

  test('revoking an unknown key returns undefined', async () => {
    await using store = await openStore()

    expect(await revokeKey(store.db, uuidV7())).toBeUndefined()
  })

  test('keys are listed oldest first, of all teams or of one', async () => {
    await using store = await openStore()
    const one = await makeTeam(store.db)
    const two = await makeTeam(store.db)

    expect(await listKeys(store.db)).toEqual([one.key, two.key])
    expect(await listKeys(store.db, { teamId: two.team.id })).toEqual([two.key])
  })

  test('setting the last use of a key updates it', async () => {
    await using store = await openStore()
    const [used, unused] = [(await makeTeam(store.db)).key, (await makeTeam(store.db)).key]

    await setKeysLastUsed(store.db, [used.id])
    await setKeysLastUsed(store.db, [])

    expect((await findKeyByHash(store.db, used.hash))?.lastUsedAt).toBeInstanceOf(Date)
    expect(await findKeyByHash(store.db, unused.hash)).toEqual(unused)
  })

  test('servers that start concurrently create the configured admin key once', async () => {
    await using store = await openStore()
    const wanted = { hash: 'configured', prefix: 'bl-1234', teamName: 'acme' }

    const keys = await Promise.all(Array.from({ length: 5 }, () => ensureBootstrapKey(store.db, wanted)))

    expect(new Set(keys.map(({ id }) => id)).size).toBe(1)
    expect(await listKeys(store.db)).toMatchObject([{ role: 'admin', teamName: 'acme', hash: 'configured' }])
  })

  test('a configured key that was revoked stays revoked', async () => {
    await using store = await openStore()
    const wanted = { hash: 'configured', prefix: 'bl-1234', teamName: 'acme' }
    const first = await ensureBootstrapKey(store.db, wanted)
    await revokeKey(store.db, first.id)

    const again = await ensureBootstrapKey(store.db, wanted)

    expect(again).toMatchObject({ id: first.id, revokedAt: expect.any(Date) })
    expect(await findKeyByHash(store.db, 'configured')).toBeUndefined()
  })

  test('only bootstrap keys are retired, with the last node that uses them', async () => {
    await using store = await openStore()
    const { key: made } = await makeTeam(store.db)
    const ensure = async (hash: string) => ensureBootstrapKey(store.db, { hash, prefix: hash, teamName: 'acme' })
    const [old, current] = [await ensure('old'), await ensure('current')]
    const [a, b] = [uuidV7(), uuidV7()]
    await registerNode(store.db, { id: a, slots: 1, bootstrapKeyId: old.id })
    await registerNode(store.db, { id: b, slots: 1, bootstrapKeyId: current.id })
    expect(await retireBootstrapKeys(store.db)).toEqual([])

    await registerNode(store.db, { id: a, slots: 1, bootstrapKeyId: current.id })

    expect(await retireBootstrapKeys(store.db)).toEqual([{ id: old.id, prefix: 'old' }])
    expect(await retireBootstrapKeys(store.db)).toEqual([])
    expect(await findKeyByHash(store.db, 'old')).toBeUndefined()
    expect(await findKeyByHash(store.db, made.hash)).toBeDefined()
    await reinstateKey(store.db, old.id)
    expect(await findKeyByHash(store.db, 'old')).toMatchObject({ id: old.id })
  })

  test('a revoked key keeps the time of its last use', async () => {
    await using store = await openStore()
    const { key } = await makeTeam(store.db)
    await revokeKey(store.db, key.id)

    await setKeysLastUsed(store.db, [key.id])

    expect(await listKeys(store.db)).toMatchObject([{ id: key.id, lastUsedAt: undefined }])
  })
})
