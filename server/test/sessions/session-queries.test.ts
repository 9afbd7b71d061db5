import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { listLedger } from '../billing/list-ledger.ts'
import type { KeyRow } from '../../src/teams/key-queries.ts'
import type { Database } from '../../src/store/schema.ts'
import { admitSession, endSession } from '../../src/sessions/session-account.ts'
import { listSessions } from '../../src/sessions/list-sessions.ts'
import {
  activeSessionsOfNode,
  findSession,
  saveProgress,
  type NewSessionRow,
  type SessionOutcome,
} from '../../src/sessions/session-queries.ts'
import type { SessionRow } from '../../src/store/tables/sessions.ts'
import { availableCredits } from '../../src/billing/account.ts'
import { findTeam } from '../../src/teams/team-queries.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { makeTeam, newSession } from '../store/fixture.ts'

async function admit(db: Kysely<Database>, key: KeyRow, changes?: Partial<NewSessionRow>): Promise<SessionRow> {
  const admission = await admitSession(db, newSession(key, changes))
  if (admission.outcome !== 'admitted') throw new Error(admission.outcome)
  return admission.session
}

function ending(session: SessionRow, changes: Partial<SessionOutcome> = {}): SessionOutcome {
  return {
    id: session.id,
    reason: 'deleted',
    status: 'destroyed',
    endedAt: new Date(session.createdAt.getTime() + 61_000),
    durationMs: 61_000,
    credits: 4,
    ...changes,
  }
}

describeEachStore('sessions', (openStore) => {
  test('an admitted session is active, expires after its TTL, and is found by its id', async () => {
    await using store = await openStore()
    const { key } = await makeTeam(store.db)
    const wanted = newSession(key, { ttlSeconds: 90, profileName: 'acme', profileSave: true, requestHash: 'hash' })

    const admission = await admitSession(store.db, wanted)

    expect(admission).toMatchObject({ outcome: 'admitted', session: { ...wanted, status: 'active' } })
    const session = await findSession(store.db, wanted.id)
    expect(admission).toEqual({ outcome: 'admitted', session })
    expect(session!.expiresAt.getTime() - session!.createdAt.getTime()).toBe(90_000)
    expect(session).toMatchObject({ lastActivityAt: session!.createdAt, endedAt: undefined, creditsBilled: undefined })
  })

  test('an unknown session is not found', async () => {
    await using store = await openStore()

    expect(await findSession(store.db, uuidV7())).toBeUndefined()
  })

  test('admission reserves credits and a slot', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 100, maxConcurrency: 3 })

    await admit(store.db, key, { reservedCredits: 30 })

    expect(await availableCredits(store.db, team.id)).toBe(70)
    expect(await findTeam(store.db, team.id)).toMatchObject({ credits: 100, reservedCredits: 30, activeSessions: 1 })
  })

  test('a team with insufficient credits is refused with its balance', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 50 })
    await admit(store.db, key, { reservedCredits: 31 })

    const admission = await admitSession(store.db, newSession(key, { reservedCredits: 20 }))

    expect(admission).toEqual({ outcome: 'insufficient-credits', available: 19 })
    expect(await listSessions(store.db, { teamId: team.id, limit: 100 })).toHaveLength(1)
    expect(await findTeam(store.db, team.id)).toMatchObject({ reservedCredits: 31, activeSessions: 1 })
  })

  test('a team at its limit is refused with the limit', async () => {
    await using store = await openStore()
    const { key } = await makeTeam(store.db, { maxConcurrency: 1 })
    await admit(store.db, key)

    const admission = await admitSession(store.db, newSession(key))

    expect(admission).toEqual({ outcome: 'team-limit', limit: 1, active: 1 })
  })

  test('insufficient credits take precedence over the limit', async () => {
    await using store = await openStore()
    const { key } = await makeTeam(store.db, { credits: 0, maxConcurrency: 0 })

    const admission = await admitSession(store.db, newSession(key))

    expect(admission.outcome).toBe('insufficient-credits')
  })

  test('twenty concurrent admissions never overspend a team', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 100 })

    const admissions = await Promise.all(
      Array.from({ length: 20 }, () => admitSession(store.db, newSession(key, { reservedCredits: 20 }))),
    )

    expect(admissions.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(5)
    expect(admissions.filter(({ outcome }) => outcome === 'insufficient-credits')).toHaveLength(15)
    expect(await availableCredits(store.db, team.id)).toBe(0)
  })

  test('twenty concurrent admissions never exceed the limit of a team', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { maxConcurrency: 7 })

    const admissions = await Promise.all(Array.from({ length: 20 }, () => admitSession(store.db, newSession(key))))

    expect(admissions.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(7)
    expect(admissions.filter(({ outcome }) => outcome === 'team-limit')).toHaveLength(13)
    expect(await listSessions(store.db, { teamId: team.id, limit: 100 })).toHaveLength(7)
  })

  test('a repeated idempotency key returns the first session and reserves nothing', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { maxConcurrency: 1 })
    const first = await admit(store.db, key, { idempotencyKey: 'once', requestHash: 'one' })

    const second = await admitSession(store.db, newSession(key, { idempotencyKey: 'once', requestHash: 'two' }))

    expect(second).toEqual({ outcome: 'repeated', session: first })
    expect(first.requestHash).toBe('one')
    expect(await findTeam(store.db, team.id)).toMatchObject({ reservedCredits: 20, activeSessions: 1 })
  })

  test('ten concurrent requests with one idempotency key create one session', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db)

    const admissions = await Promise.all(
      Array.from({ length: 10 }, () => admitSession(store.db, newSession(key, { idempotencyKey: 'once' }))),
    )

    expect(admissions.filter(({ outcome }) => outcome === 'admitted')).toHaveLength(1)
    expect(admissions.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(9)
    expect(await findTeam(store.db, team.id)).toMatchObject({ reservedCredits: 20, activeSessions: 1 })
  })

  test('two teams may use the same idempotency key', async () => {
    await using store = await openStore()
    const [one, two] = [await makeTeam(store.db), await makeTeam(store.db)]

    await admit(store.db, one.key, { idempotencyKey: 'once' })

    expect(await admitSession(store.db, newSession(two.key, { idempotencyKey: 'once' }))).toMatchObject({
      outcome: 'admitted',
    })
  })

  test('only active sessions of a node are listed', async () => {
    await using store = await openStore()
    const { key } = await makeTeam(store.db)
    const nodeId = uuidV7()
    const live = await admit(store.db, key, { nodeId })
    await endSession(store.db, ending(await admit(store.db, key, { nodeId })))
    await admit(store.db, key, { nodeId: uuidV7() })

    expect(await activeSessionsOfNode(store.db, nodeId)).toEqual([live])
  })

  test('activity moves forward, for active sessions only', async () => {
    await using store = await openStore()
    const { key } = await makeTeam(store.db)
    const [live, fresh, ended] = [await admit(store.db, key), await admit(store.db, key), await admit(store.db, key)]
    await endSession(store.db, ending(ended))
    const later = new Date(live.createdAt.getTime() + 5000)

    const aliveUntil = new Date(live.createdAt.getTime() + 7000)
    await saveProgress(store.db, [
      { id: live.id, lastActivityAt: later, aliveUntil },
      { id: fresh.id, lastActivityAt: new Date(0), aliveUntil },
      { id: ended.id, lastActivityAt: later, aliveUntil },
      { id: uuidV7(), lastActivityAt: later, aliveUntil },
    ])
    await saveProgress(store.db, [])

    expect(await findSession(store.db, live.id)).toMatchObject({ lastActivityAt: later, aliveUntil })
    expect((await findSession(store.db, fresh.id))?.lastActivityAt).toEqual(fresh.lastActivityAt)
    expect((await findSession(store.db, ended.id))?.lastActivityAt).toEqual(ended.lastActivityAt)
  })

  test('an ended session is billed, and its reservation and slot are released', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 100, maxConcurrency: 1 })
    const session = await admit(store.db, key)
    const end = ending(session, { reason: 'ttl' })

    const outcome = await endSession(store.db, end)

    const expected = {
      status: 'destroyed',
      endReason: 'ttl',
      endedAt: end.endedAt,
      durationMs: 61_000,
      creditsBilled: 4,
    }
    expect(outcome).toEqual({ ended: true, session: { ...session, ...expected } })
    expect(await findSession(store.db, session.id)).toEqual(outcome?.session)
    expect(await findTeam(store.db, team.id)).toMatchObject({ credits: 96, reservedCredits: 0, activeSessions: 0 })
    expect(await listLedger(store.db, { teamId: team.id })).toMatchObject([
      { kind: 'session', subjectId: session.id, apiKeyId: key.id, credits: 4, createdAt: end.endedAt },
    ])
  })

  test('the end of an unmetered session is in the ledger, and its team stays unmetered', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db)

    await endSession(store.db, ending(await admit(store.db, key)))

    expect(await listLedger(store.db, { teamId: team.id })).toMatchObject([{ credits: 4 }])
    expect(await findTeam(store.db, team.id)).toMatchObject({ credits: undefined, reservedCredits: 0 })
  })

  test('a session that failed to start keeps its error', async () => {
    await using store = await openStore()
    const { key } = await makeTeam(store.db)
    const session = await admit(store.db, key)

    const outcome = await endSession(
      store.db,
      ending(session, { status: 'error', reason: 'crashed', credits: 0, error: 'no browser' }),
    )

    expect(outcome?.session).toMatchObject({ status: 'error', error: 'no browser', creditsBilled: 0 })
  })

  test('a second end changes nothing and returns the first bill', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 100 })
    const session = await admit(store.db, key)
    const first = await endSession(store.db, ending(session))

    const second = await endSession(store.db, ending(session, { reason: 'idle', credits: 99 }))

    expect(second).toEqual({ ended: false, session: first?.session })
    expect(await findTeam(store.db, team.id)).toMatchObject({ credits: 96, reservedCredits: 0, activeSessions: 0 })
  })

  test('ten concurrent ends bill once and return the same bill', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 100 })
    const session = await admit(store.db, key)

    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) => endSession(store.db, ending(session, { credits: index + 1 }))),
    )

    expect(outcomes.filter((outcome) => outcome?.ended)).toHaveLength(1)
    const bills = new Set(outcomes.map((outcome) => outcome?.session.creditsBilled))
    expect(bills.size).toBe(1)
    const [bill] = bills
    expect(await findTeam(store.db, team.id)).toMatchObject({
      credits: 100 - bill!,
      reservedCredits: 0,
      activeSessions: 0,
    })
    expect(await listLedger(store.db, { teamId: team.id })).toHaveLength(1)
  })

  test('concurrent admissions and ends keep the balance consistent', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db, { credits: 1000, maxConcurrency: 4 })
    const visit = async (): Promise<number> => {
      const admission = await admitSession(store.db, newSession(key))
      if (admission.outcome !== 'admitted') return 0
      await endSession(store.db, ending(admission.session))
      return 4
    }

    const bills = await Promise.all(Array.from({ length: 30 }, visit))

    const billed = bills.reduce((sum, bill) => sum + bill, 0)
    expect(billed).toBeGreaterThanOrEqual(16)
    expect(await findTeam(store.db, team.id)).toMatchObject({
      credits: 1000 - billed,
      reservedCredits: 0,
      activeSessions: 0,
    })
    expect(await listLedger(store.db, { teamId: team.id })).toHaveLength(billed / 4)
  })

  test('ending an unknown session returns undefined', async () => {
    await using store = await openStore()
    const { key } = await makeTeam(store.db)
    const session = await admit(store.db, key)

    expect(await endSession(store.db, ending(session, { id: uuidV7() }))).toBeUndefined()
  })
})
