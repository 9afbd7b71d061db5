import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs } from '../../../src/kit/day-ms.ts'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { createRandom } from '../../../test/lab/random.ts'
import { describeEachStore, temporaryFolder } from '../../../test/lab/stores.ts'
import { accountLaws } from '../../../test/torture/laws/rows.ts'
import { addCharges, type Charge, type ChargeKind } from '../../src/billing/account.ts'
import { lastBilledAt, sumUsage } from '../../src/billing/ledger.ts'
import { listLedger } from '../billing/list-ledger.ts'
import { openBlobs, type Blobs } from '../../src/blobs/blobs.ts'
import { rollUpLedger } from '../../src/billing/roll-up-ledger.ts'
import { claimRun } from '../../src/retention/claim-run.ts'
import { applyRetention } from '../../src/retention/retention.ts'
import { saveTrackedPage } from '../../src/scrape/queries/scrapes.ts'
import { endSession } from '../../src/sessions/session-account.ts'
import { findSession, insertSession } from '../../src/sessions/session-queries.ts'
import { insertKey } from '../../src/teams/key-queries.ts'
import { findTeam } from '../../src/teams/team-queries.ts'
import type { Store } from '../../src/store/store.ts'
import { makeTeam, newSession } from '../store/fixture.ts'

let blobs: Blobs
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
  blobs = await openBlobs({ kind: 'folder', path: folder.path })
})
afterAll(async () => folder[Symbol.asyncDispose]())

const nowMs = Date.UTC(2030, 5, 15, 10)
const startCredits = 1_000_000
const kinds: readonly ChargeKind[] = ['session', 'scrape', 'map', 'search', 'extract', 'agent', 'monitor']

/** Everything that the product reports about the charges of a team. */
async function reportOf({ db }: Store, teamId: string) {
  const from = new Date(nowMs - 31 * dayMs - (nowMs % dayMs))
  const usage = { teamId, period: 'day', byApiKey: false } as const
  return {
    days: await sumUsage(db, usage),
    daysByKey: await sumUsage(db, { ...usage, byApiKey: true }),
    daysByKind: await sumUsage(db, { ...usage, byKind: true }),
    lastDays: await sumUsage(db, { ...usage, from }),
    months: await sumUsage(db, { ...usage, period: 'month' }),
    monthsByKey: await sumUsage(db, { ...usage, period: 'month', byApiKey: true }),
    team: await findTeam(db, teamId),
    last: await lastBilledAt(db, teamId),
  }
}

async function chargeAtRandom(store: Store, seed: number, count: number): Promise<readonly string[]> {
  const random = createRandom(seed)
  const owners: Pick<Charge, 'teamId' | 'apiKeyId'>[] = []
  for (let index = 0; index < 3; index++) {
    const { team, key } = await makeTeam(store.db, { credits: startCredits })
    const other = {
      teamId: team.id,
      name: `other ${index}`,
      hash: uuidV7(),
      prefix: 'bl-5678',
      role: 'member',
    } as const
    for (const { id } of [key, await insertKey(store.db, other)]) owners.push({ teamId: team.id, apiKeyId: id })
  }
  const charges = Array.from({ length: count }, (): Charge => {
    // Some at the exact limits of days, which the roll-up must not move.
    const age = random.whole(0, 60) * dayMs + random.pick([0, 1, dayMs - 1, random.whole(0, dayMs - 1)])
    const createdAt = new Date(nowMs - (nowMs % dayMs) + dayMs - 1 - age)
    return {
      ...random.pick(owners),
      kind: random.pick(kinds),
      subjectId: uuidV7(),
      credits: random.whole(0, 9),
      createdAt,
    }
  })
  await addCharges(store.db, charges)
  return [...new Set(owners.map(({ teamId }) => teamId))]
}

describeEachStore('retention', (openStore) => {
  test.each([1, 2, 3])('usage and balances stay equal when charges are summed up (seed %i)', async (seed) => {
    await using store = await openStore()
    const teams = await chargeAtRandom(store, seed, 1200)
    const reports = async () => Promise.all(teams.map(async (id) => reportOf(store, id)))
    const before = await reports()
    const random = createRandom(seed)

    let rolledUp = 0
    for (const days of [random.whole(40, 59), random.whole(10, 39), 1]) {
      rolledUp += (await applyRetention({ store, blobs }, days, { nowMs })).charges
      expect(await reports()).toEqual(before)
    }

    expect(rolledUp).toBeGreaterThan(1000)
    const left = await Promise.all(teams.map(async (teamId) => listLedger(store.db, { teamId })))
    expect(left.flat()).toHaveLength(1200 - rolledUp)
    expect(left.flat().every(({ createdAt }) => createdAt.getTime() >= nowMs - (nowMs % dayMs) - dayMs)).toBe(true)
    for (const [law, query] of Object.entries(accountLaws(startCredits)))
      expect((await query.execute(store.db)).rows, law).toEqual([])
  })

  test('servers that sum up the same charges at once count each of them once', async () => {
    await using store = await openStore()
    const teams = await chargeAtRandom(store, 4, 1000)
    const before = await Promise.all(teams.map(async (id) => reportOf(store, id)))

    const counts = await Promise.all(
      Array.from({ length: 6 }, async () => rollUpLedger(store.db, new Date(nowMs - (nowMs % dayMs) - dayMs), 100)),
    )

    expect(counts.reduce((sum, count) => sum + count)).toBeGreaterThan(0)
    expect(await Promise.all(teams.map(async (id) => reportOf(store, id)))).toEqual(before)
  })

  test('a charge that arrives late joins the sum of its day', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 100 })
    const charge = (credits: number): Charge => ({
      teamId: team.id,
      apiKeyId: key.id,
      kind: 'session',
      subjectId: uuidV7(),
      credits,
      createdAt: new Date('2030-01-01T23:59:59.999Z'),
    })
    await addCharges(store.db, [charge(2)])
    await applyRetention({ store, blobs }, 90, { nowMs })

    await addCharges(store.db, [charge(3)])
    await applyRetention({ store, blobs }, 90, { nowMs })

    expect(await listLedger(store.db, { teamId: team.id })).toEqual([])
    expect(await sumUsage(store.db, { teamId: team.id, period: 'day', byApiKey: true })).toEqual([
      { start: new Date('2030-01-01T00:00:00Z'), apiKey: 'key', credits: 5 },
    ])
    const { rows } = await sql`select credits, charges from ledger_day`.execute(store.db)
    expect(rows).toEqual([{ credits: 5, charges: 2 }])
  })

  test('sessions that ended before the retention are deleted, except those with files and those that run', async () => {
    await using store = await openStore()
    const { db } = store
    const { key } = await makeTeam(db)
    const [old, recent, kept, active] = [newSession(key), newSession(key), newSession(key), newSession(key)]
    const end = { reason: 'deleted', status: 'destroyed', durationMs: 1, credits: 2 } as const
    for (const session of [old, recent, kept, active]) await insertSession(db, session)
    for (const [{ id }, days] of [
      [old, 92],
      [recent, 89],
      [kept, 92],
    ] as const)
      await endSession(db, { ...end, id, endedAt: new Date(nowMs - days * dayMs) })
    await sql`update session set created_at = ${new Date(nowMs - 100 * dayMs)}::timestamptz`.execute(db)
    await sql`
      insert into artifact (id, team_id, session_id, kind, name, expires_at)
      values (${uuidV7()}, ${key.teamId}, ${kept.id}, 'file', 'a.txt', now())`.execute(db)

    const { sessions } = await applyRetention({ store, blobs }, 90, { nowMs })

    expect(sessions).toBe(1)
    expect(await findSession(db, old.id)).toBeUndefined()
    for (const { id } of [recent, kept, active]) expect(await findSession(db, id)).toMatchObject({ id })
  })

  test('states of tracked pages that were not scraped since are deleted', async () => {
    await using store = await openStore()
    const { team } = await makeTeam(store.db)
    for (const trackingKey of ['old', 'new'])
      await saveTrackedPage(store.db, { teamId: team.id, trackingKey, markdown: 'text', extracted: undefined })
    await sql`update tracked_page set scraped_at = scraped_at - interval '92 days' where tracking_key = 'old'`.execute(
      store.db,
    )

    const { trackedPages } = await applyRetention({ store, blobs }, 90)

    expect(trackedPages).toBe(1)
    const { rows } = await sql`select tracking_key from tracked_page`.execute(store.db)
    expect(rows).toEqual([{ trackingKey: 'new' }])
  })

  test('one of several servers claims the run of an hour', async () => {
    await using store = await openStore()
    const claim = async () => claimRun(store.db, 3_600_000)

    const first = await Promise.all([claim(), claim(), claim()])
    const second = await claim()
    await sql`update setting set value = (value::numeric - 3600)::text where key = 'retention-started-at'`.execute(
      store.db,
    )

    expect(first.filter(Boolean)).toHaveLength(1)
    expect(second).toBe(false)
    expect(await claim()).toBe(true)
  })

  test('a run that is aborted stops between two batches', async () => {
    await using store = await openStore()
    const teams = await chargeAtRandom(store, 5, 1200)

    const stopping = applyRetention({ store, blobs }, 1, { nowMs, signal: AbortSignal.timeout(1) })

    await expect(stopping).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(await listLedger(store.db, { teamId: teams[0]! })).not.toEqual([])
  })
})
