import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { chargeUpfront, refund, type Charge } from '../../src/store/prepaid-charges.ts'
import type { KeyRow } from '../../src/store/keys.ts'
import { listLedger } from '../../src/store/ledger.ts'
import { availableCredits } from '../../src/store/teams.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { makeTeam } from './fixture.ts'

function chargeOf(key: KeyRow, credits: number): Charge {
  return {
    teamId: key.teamId,
    apiKeyId: key.id,
    kind: 'map',
    subjectId: uuidV7(),
    credits,
  }
}

describeEachStore('a charge', (openStore) => {
  test('debits credits and adds a bill', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 10 })
    const charge = chargeOf(key, 3)

    expect(await chargeUpfront(store.db, charge)).toEqual({ outcome: 'charged' })

    expect(await availableCredits(store.db, team.id)).toBe(7)
    expect(await listLedger(store.db, { teamId: team.id })).toMatchObject([charge])
  })

  test('adds a bill for an unmetered team, too', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db)

    expect(await chargeUpfront(store.db, chargeOf(key, 3))).toEqual({ outcome: 'charged' })

    expect(await availableCredits(store.db, team.id)).toBeUndefined()
    expect(await listLedger(store.db, { teamId: team.id })).toHaveLength(1)
  })

  test('is refused when credits are insufficient, even with concurrent charges', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 5 })

    const outcomes = await Promise.all(Array.from({ length: 8 }, () => chargeUpfront(store.db, chargeOf(key, 2))))

    expect(outcomes.filter(({ outcome }) => outcome === 'charged')).toHaveLength(2)
    expect(outcomes).toContainEqual({ outcome: 'insufficient-credits', available: 1 })
    expect(await listLedger(store.db, { teamId: team.id })).toHaveLength(2)
  })

  test('is refunded once', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 10 })
    const charge = chargeOf(key, 3)
    await chargeUpfront(store.db, charge)

    await refund(store.db, charge)
    await refund(store.db, charge)

    expect(await availableCredits(store.db, team.id)).toBe(10)
    expect(await listLedger(store.db, { teamId: team.id })).toEqual([])
  })
})
