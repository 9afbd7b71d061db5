import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { availableCredits } from '../../src/billing/account.ts'
import { ensureTeam, findTeam, insertTeam, updateTeam } from '../../src/teams/team-queries.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'

describeEachStore('teams', (openStore) => {
  test('a new team is unmetered and unlimited', async () => {
    await using store = await openStore()

    const team = await ensureTeam(store.db, { name: 'acme' })

    expect(team).toMatchObject({
      name: 'acme',
      credits: undefined,
      maxConcurrency: undefined,
      reservedCredits: 0,
      activeSessions: 0,
    })
    expect(team.createdAt).toBeInstanceOf(Date)
    expect(await availableCredits(store.db, team.id)).toBeUndefined()
  })

  test('concurrent calls with the same name return the same team', async () => {
    await using store = await openStore()

    const teams = await Promise.all(Array.from({ length: 8 }, () => ensureTeam(store.db, { name: 'acme' })))

    expect(new Set(teams.map(({ id }) => id)).size).toBe(1)
  })

  test('only one of several concurrent inserts with the same name succeeds', async () => {
    await using store = await openStore()

    const made = await Promise.all([1, 2, 3, 4].map((credits) => insertTeam(store.db, { name: 'acme', credits })))

    const [team, ...others] = made.filter((each) => each !== undefined)
    expect(others).toEqual([])
    expect(await findTeam(store.db, team!.id)).toEqual(team)
  })

  test('a team keeps the id it was created with', async () => {
    await using store = await openStore()
    const id = uuidV7()

    await ensureTeam(store.db, { id, name: 'acme' })
    const again = await ensureTeam(store.db, { id: uuidV7(), name: 'acme' })

    expect(again.id).toBe(id)
    expect(await findTeam(store.db, id)).toEqual(again)
  })

  test('an unknown team is not found', async () => {
    await using store = await openStore()

    expect(await findTeam(store.db, uuidV7())).toBeUndefined()
  })

  test('a balance can exceed 32 bits and be removed', async () => {
    await using store = await openStore()
    const { id } = await ensureTeam(store.db, { name: 'acme' })

    await updateTeam(store.db, id, { credits: 5_000_000_000 })
    expect(await availableCredits(store.db, id)).toBe(5_000_000_000)

    await updateTeam(store.db, id, { credits: null })
    expect(await availableCredits(store.db, id)).toBeUndefined()
  })
})
