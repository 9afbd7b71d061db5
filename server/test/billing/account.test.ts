import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { availableCredits, raise, release, reserve, settle, type Charge } from '../../src/billing/account.ts'
import { Billing } from '../../src/billing/billing.ts'
import { listLedger } from './list-ledger.ts'
import type { KeyRow } from '../../src/teams/key-queries.ts'
import { findTeam, updateTeam } from '../../src/teams/team-queries.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { makeTeam } from '../store/fixture.ts'

function billOf(key: KeyRow, credits: number): Charge {
  return {
    teamId: key.teamId,
    apiKeyId: key.id,
    kind: 'map',
    subjectId: uuidV7(),
    credits,
  }
}

describeEachStore('a hold', (openStore) => {
  test('debits credits and adds a bill when it is settled, however it compares to the price', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 20 })
    const [id, low] = [uuidV7(), uuidV7()]
    const charge = billOf(key, 3)

    expect(await reserve(store.db, { id, teamId: team.id, credits: 5, slot: 'session' })).toEqual({
      outcome: 'reserved',
    })
    expect(await availableCredits(store.db, team.id)).toBe(15)
    await reserve(store.db, { id: low, teamId: team.id, credits: 1 })
    await settle(store.db, id, charge)
    await settle(store.db, low, billOf(key, 4))

    expect(await findTeam(store.db, team.id)).toMatchObject({ credits: 13, reservedCredits: 0, activeSessions: 0 })
    expect(await listLedger(store.db, { teamId: team.id })).toMatchObject([{ credits: 4 }, charge])
  })

  test('adds a charge for an unmetered team', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db)
    const id = uuidV7()

    expect(await reserve(store.db, { id, teamId: team.id, credits: 3 })).toEqual({ outcome: 'reserved' })
    await settle(store.db, id, billOf(key, 3))

    expect(await availableCredits(store.db, team.id)).toBeUndefined()
    expect(await listLedger(store.db, { teamId: team.id })).toHaveLength(1)
  })

  test('is refused when credits are insufficient, even with concurrent reservations', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db, { credits: 5 })

    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () => reserve(store.db, { id: uuidV7(), teamId: team.id, credits: 2 })),
    )

    expect(outcomes.filter(({ outcome }) => outcome === 'reserved')).toHaveLength(2)
    expect(outcomes).toContainEqual({ outcome: 'insufficient-credits', available: 1 })
    expect(await findTeam(store.db, team.id)).toMatchObject({ credits: 5, reservedCredits: 4 })
  })

  test('is released once', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db, { credits: 10 })
    const id = uuidV7()
    await reserve(store.db, { id, teamId: team.id, credits: 3, slot: 'scrape' })

    await release(store.db, id)
    await release(store.db, id)

    expect(await findTeam(store.db, team.id)).toMatchObject({ credits: 10, reservedCredits: 0, activeScrapes: 0 })
    expect(await listLedger(store.db, { teamId: team.id })).toEqual([])
  })

  test('is raised while the team can pay for it, and billed without it once it is gone', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 10 })
    const id = uuidV7()
    await reserve(store.db, { id, teamId: team.id, credits: 3 })

    expect(await raise(store.db, { holdId: id, credits: 7 })).toBe(true)
    expect(await raise(store.db, { holdId: id, credits: 1 })).toBe(false)
    expect(await findTeam(store.db, team.id)).toMatchObject({ reservedCredits: 10 })
    await release(store.db, id)
    expect(await raise(store.db, { holdId: id, credits: 99 })).toBe(true)
    await settle(store.db, id, billOf(key, 12))

    expect(await findTeam(store.db, team.id)).toMatchObject({ credits: -2, reservedCredits: 0 })
  })

  test('pays for the work even after an admin has lowered the balance, but not for more', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 10 })
    const billing = new Billing({ store, nodeId: uuidV7() })
    await using hold = await billing.reserve({ teamId: team.id, credits: 3 })
    await updateTeam(store.db, team.id, { credits: 1 })

    await expect(billing.settle(hold, billOf(key, 4))).rejects.toMatchObject({
      code: 'INSUFFICIENT_CREDITS',
      // Includes the credits that the work itself has reserved.
      message: expect.stringContaining('It needs 4, and 1 are left'),
    })
    await billing.settle(hold, billOf(key, 3))

    expect(await findTeam(store.db, team.id)).toMatchObject({ credits: -2, reservedCredits: 0 })
    expect(await listLedger(store.db, { teamId: team.id })).toHaveLength(1)
  })
})
