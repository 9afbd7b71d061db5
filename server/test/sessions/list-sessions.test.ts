import type { Kysely } from 'kysely'
import { expect, test } from 'vitest'
import type { KeyRow } from '../../src/teams/key-queries.ts'
import type { Database } from '../../src/store/schema.ts'
import { listSessions } from '../../src/sessions/list-sessions.ts'
import { admitSession, endSession } from '../../src/sessions/session-account.ts'
import type { NewSessionRow, SessionOutcome } from '../../src/sessions/session-queries.ts'
import { labelsOf, metadataColumn } from '../../src/sessions/session-labels.ts'
import type { SessionRow } from '../../src/store/tables/sessions.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { makeTeam, newSession } from '../store/fixture.ts'

async function admit(db: Kysely<Database>, key: KeyRow, changes?: Partial<NewSessionRow>): Promise<SessionRow> {
  const admission = await admitSession(db, newSession(key, changes))
  if (admission.outcome !== 'admitted') throw new Error(admission.outcome)
  return admission.session
}

function endOf({ id, createdAt }: SessionRow, changes: Partial<SessionOutcome> = {}): SessionOutcome {
  const endedAt = new Date(createdAt.getTime() + 61_000)
  return { id, reason: 'deleted', status: 'destroyed', endedAt, durationMs: 61_000, credits: 4, ...changes }
}

function rethrow(error: unknown): never {
  throw error
}

describeEachStore('the list of sessions', (openStore) => {
  test('sessions are listed newest first, by team and status, up to a limit', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db)
    await admit(store.db, (await makeTeam(store.db)).key)
    const first = await admit(store.db, key)
    const second = await admit(store.db, key)
    const third = await admit(store.db, key)
    await endSession(store.db, endOf(second))
    const idsOf = async (filter: object): Promise<readonly string[]> =>
      (await listSessions(store.db, { teamId: team.id, limit: 100, ...filter })).map(({ id }) => id)

    expect(await idsOf({})).toEqual([third.id, second.id, first.id])
    expect(await idsOf({ status: 'active' })).toEqual([third.id, first.id])
    expect(await idsOf({ limit: 1 })).toEqual([third.id])
  })

  test('sessions are listed by their name and by part of their metadata', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db)
    const export1 = await admit(store.db, key, {
      name: 'export',
      metadata: metadataColumn({ customer: '4711', region: 'eu' }),
    })
    const export2 = await admit(store.db, key, { name: 'export', metadata: metadataColumn({ customer: '4712' }) })
    const plain = await admit(store.db, key)
    const idsOf = async (filter: object): Promise<readonly string[]> =>
      (await listSessions(store.db, { teamId: team.id, limit: 100, ...filter })).map(({ id }) => id)

    expect(await idsOf({ name: 'export' })).toEqual([export2.id, export1.id])
    expect(await idsOf({ metadata: { customer: '4711' } })).toEqual([export1.id])
    expect(await idsOf({ metadata: { customer: '4711', region: 'us' } })).toEqual([])
    expect(await idsOf({ metadata: {} })).toEqual([plain.id, export2.id, export1.id])
    expect(labelsOf(export1, rethrow)).toEqual({ name: 'export', metadata: { customer: '4711', region: 'eu' } })
    expect(labelsOf(plain, rethrow)).toEqual({})
  })

  test('sessions are listed by their end, profile, time and text', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db)
    const crashed = await admit(store.db, key, { profileName: 'shop_1', name: '100 % export' })
    const idle = await admit(store.db, key, { metadata: metadataColumn({ customer: 'Müller' }) })
    const live = await admit(store.db, key)
    await endSession(store.db, endOf(crashed, { reason: 'crashed', status: 'error' }))
    await endSession(store.db, endOf(idle, { reason: 'idle' }))
    const idsOf = async (filter: object): Promise<readonly string[]> =>
      (await listSessions(store.db, { teamId: team.id, limit: 100, ...filter })).map(({ id }) => id)

    expect(await idsOf({ status: 'ended' })).toEqual([idle.id, crashed.id])
    expect(await idsOf({ endReason: 'crashed' })).toEqual([crashed.id])
    expect(await idsOf({ profile: 'shop_1' })).toEqual([crashed.id])
    expect(await idsOf({ from: idle.createdAt })).toEqual([live.id, idle.id])
    expect(await idsOf({ to: idle.createdAt })).toEqual([crashed.id])
    expect(await idsOf({ search: 'EXPORT' })).toEqual([crashed.id])
    expect(await idsOf({ search: '0 % e' })).toEqual([crashed.id])
    expect(await idsOf({ search: 'op_' })).toEqual([crashed.id])
    expect(await idsOf({ search: 'o_1' })).toEqual([])
    expect(await idsOf({ search: 'customer=mü' })).toEqual([idle.id])
    expect(await idsOf({ search: live.id.slice(0, 30) })).toContain(live.id)
  })

  test('a page continues after the last session of the one before', async () => {
    await using store = await openStore()
    const { team, key } = await makeTeam(store.db)
    const createdAt = new Date('2026-01-01T00:00:00Z')
    const made = [await admit(store.db, key), await admit(store.db, key), await admit(store.db, key)]
    // Sessions that were created at the same time are told apart by their ids.
    await store.db.updateTable('session').set({ createdAt }).execute()
    const ids = made
      .map(({ id }) => id)
      .toSorted()
      .toReversed()

    const first = await listSessions(store.db, { teamId: team.id, limit: 2 })
    const second = await listSessions(store.db, { teamId: team.id, limit: 2, after: first.at(-1) })

    expect([first.map(({ id }) => id), second.map(({ id }) => id)]).toEqual([ids.slice(0, 2), ids.slice(2)])
  })
})
