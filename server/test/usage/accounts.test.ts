import { getEventListeners } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { cleanUpDeadNode } from '../../src/cluster/clean-up-dead-node.ts'
import { insertKey, type KeyRow } from '../../src/teams/key-queries.ts'
import { listLedger } from '../billing/list-ledger.ts'
import { rollUpLedger } from '../../src/billing/roll-up-ledger.ts'
import { admitSession, endSession } from '../../src/sessions/session-account.ts'
import type { Store } from '../../src/store/store.ts'
import { storeUnavailable } from '../../src/store/unavailable.ts'
import { findTeam } from '../../src/teams/team-queries.ts'
import { usageHistory } from '../../src/usage/history.ts'
import { defaultPrices } from '../../src/billing/prices.ts'
import { createRateLimiter } from '../../src/usage/rate-limiter.ts'
import { Billing } from '../../src/billing/billing.ts'
import { createRandom, type Random } from '../../../test/lab/random.ts'
import { describeEachStore } from '../../../test/lab/stores.ts'
import { makeTeam, newSession } from '../store/fixture.ts'

interface WorkFixture {
  readonly store: Store
  readonly random: Random
  readonly key: KeyRow
  readonly billing: Billing
}

/** Runs a scrape that fails or costs less, as much or more than estimated. */
async function scrape({ random, key, billing }: WorkFixture): Promise<void> {
  const credits = random.whole(1, 5)
  await using hold = await billing.reserve({ teamId: key.teamId, credits, takesSlot: true }, { waitMs: 60_000 })
  await setImmediate()
  if (random.whole(0, 3) === 0) return
  const subject = { teamId: key.teamId, apiKeyId: key.id, kind: 'scrape', subjectId: uuidV7() } as const
  await billing.settle(hold, { ...subject, credits: credits + random.whole(-1, 3) })
}

async function session({ store, random, key }: WorkFixture): Promise<void> {
  const wanted = newSession(key, { reservedCredits: random.whole(2, 8) })
  const { outcome } = await admitSession(store.db, wanted)
  if (outcome !== 'admitted') return
  const credits = random.whole(0, wanted.reservedCredits)
  const ending = { id: wanted.id, reason: 'deleted', status: 'destroyed', endedAt: new Date(), durationMs: 1 } as const
  await endSession(store.db, { ...ending, credits })
}

async function map({ random, key, billing }: WorkFixture): Promise<void> {
  const credits = random.whole(1, 3)
  await using hold = await billing.reserve({ teamId: key.teamId, credits })
  if (random.whole(0, 2) === 0) return
  await billing.settle(hold, { teamId: key.teamId, apiKeyId: key.id, kind: 'map', subjectId: uuidV7(), credits })
}

function isRefusal(error: unknown): boolean {
  return Error.isError(error) && 'code' in error && error.code === 'INSUFFICIENT_CREDITS'
}

interface Bill {
  readonly apiKeyId: string
  readonly keyName: string
  readonly credits: number
  readonly createdAt: Date
}

/** Returns a time within two years, often within a second of the start of a month. */
function randomTime(random: Random): Date {
  const month = Date.UTC(2024, random.whole(0, 23))
  return new Date(
    random.whole(0, 1) === 0 ? month + random.whole(-1000, 1000) : month + random.whole(0, 31 * 86_400_000),
  )
}

/** Sums bills by name. */
function sum(bills: readonly Bill[], nameOf: (bill: Bill) => string): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const bill of bills) sums[nameOf(bill)] = (sums[nameOf(bill)] ?? 0) + bill.credits
  return sums
}

function monthOf({ createdAt }: Bill): string {
  return createdAt.toISOString().slice(0, 7)
}

describeEachStore('of a team', (openStore) => {
  describe('credits', () => {
    test.each([1, 2])(
      'are never overspent by concurrent work, and no reservation is left behind (seed %i)',
      async (seed) => {
        await using store = await openStore()
        const random = createRandom(seed)
        const given = 120
        const { team, key } = await makeTeam(store.db, { credits: given, maxConcurrency: 6 })
        const nodes = [uuidV7(), uuidV7()].map((nodeId) => new Billing({ store, nodeId }))
        const done = new AbortController()
        const watch = async (): Promise<void> => {
          while (!done.signal.aborted) {
            const { credits = 0, reservedCredits, activeSessions, activeScrapes } = (await findTeam(store.db, team.id))!
            expect(credits).toBeGreaterThanOrEqual(reservedCredits)
            expect(activeSessions + activeScrapes).toBeLessThanOrEqual(6)
            await setImmediate()
          }
        }
        const watching = watch()

        await Promise.all(
          Array.from({ length: 60 }, async () => {
            const work = random.pick([scrape, scrape, session, map])
            await work({ store, random, key, billing: random.pick(nodes) }).catch((error: unknown) => {
              if (!isRefusal(error)) throw error
            })
          }),
        )
        done.abort()
        await watching

        const spent = (await listLedger(store.db, { teamId: team.id })).reduce((sum, { credits }) => sum + credits, 0)
        expect(spent).toBeGreaterThan(given / 2)
        expect(await findTeam(store.db, team.id)).toMatchObject({
          credits: given - spent,
          reservedCredits: 0,
          activeSessions: 0,
          activeScrapes: 0,
        })
      },
    )

    test('reserved by a dead server are released once', async () => {
      await using store = await openStore()
      const { team, key } = await makeTeam(store.db, { credits: 10 })
      const nodeId = uuidV7()
      const billing = new Billing({ store, nodeId })
      const lost = await billing.reserve({ teamId: team.id, credits: 4, takesSlot: true })
      const late = await billing.reserve({ teamId: team.id, credits: 3, takesSlot: true })

      const webhooks = { ended: async () => undefined }
      await cleanUpDeadNode({ store, prices: defaultPrices, webhooks }, nodeId)
      await lost[Symbol.asyncDispose]()
      expect(await findTeam(store.db, team.id)).toMatchObject({ credits: 10, reservedCredits: 0, activeScrapes: 0 })

      // If the server was not dead after all, its work is billed without a reservation.
      const subject = { teamId: team.id, apiKeyId: key.id, kind: 'scrape', subjectId: uuidV7() } as const
      await billing.settle(late, { ...subject, credits: 3 })
      expect(await findTeam(store.db, team.id)).toMatchObject({ credits: 7, reservedCredits: 0, activeScrapes: 0 })
    })

    test('are released after a store outage, and the error of the work is not masked', async () => {
      await using store = await openStore()
      const { team } = await makeTeam(store.db, { credits: 10, maxConcurrency: 2 })
      let isAway = false
      const away = storeUnavailable(new Error('The connection was lost'))
      const db = store.db.withPlugin({
        transformQuery: ({ node }) => {
          if (isAway) throw away
          return node
        },
        transformResult: async ({ result }) => result,
      })
      const billing = new Billing({ store: { ...store, db }, nodeId: uuidV7() })
      const work = async (): Promise<void> => {
        await using _hold = await billing.reserve({ teamId: team.id, credits: 4, takesSlot: true })
        isAway = true
        throw away
      }

      await expect(work()).rejects.toBe(away)

      expect(await findTeam(store.db, team.id)).toMatchObject({ reservedCredits: 4, activeScrapes: 1 })
      isAway = false
      await expect
        .poll(async () => findTeam(store.db, team.id), { timeout: 10_000 })
        .toMatchObject({ credits: 10, reservedCredits: 0, activeScrapes: 0 })
    })

    test('reserved while the connection broke are released', async () => {
      await using store = await openStore()
      const { team } = await makeTeam(store.db, { credits: 10, maxConcurrency: 2 })
      let hasFailed = false
      const db = store.db.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          if (hasFailed) return result
          hasFailed = true
          throw storeUnavailable(new Error('The connection was lost'))
        },
      })
      const billing = new Billing({ store: { ...store, db }, nodeId: uuidV7() })

      await expect(billing.reserve({ teamId: team.id, credits: 4, takesSlot: true })).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      })

      expect(await findTeam(store.db, team.id)).toMatchObject({ credits: 10, reservedCredits: 0, activeScrapes: 0 })
    })

    test('that were waited for do not leak abort listeners', async () => {
      await using store = await openStore()
      const { team } = await makeTeam(store.db, { maxConcurrency: 1 })
      const billing = new Billing({ store, nodeId: uuidV7() })
      const { signal } = new AbortController()
      const acquire = async () =>
        billing.reserve({ teamId: team.id, credits: 0, takesSlot: true }, { waitMs: Infinity, signal })
      const first = await acquire()

      const waiting = Promise.all(Array.from({ length: 2 }, async () => (await acquire())[Symbol.asyncDispose]()))
      await first[Symbol.asyncDispose]()
      await waiting

      expect(getEventListeners(signal, 'abort')).toEqual([])
    })

    test('are not reserved for a team without limits, which is cached', async () => {
      await using store = await openStore()
      const { team } = await makeTeam(store.db)
      const billing = new Billing({ store, nodeId: uuidV7() })

      await using first = await billing.reserve({ teamId: team.id, credits: 5, takesSlot: true })
      await using second = await billing.reserve({ teamId: team.id, credits: 5, takesSlot: true })

      expect([first.id, second.id]).toEqual([undefined, undefined])
      expect(billing.running(team.id)).toBe(2)
      expect(await findTeam(store.db, team.id)).toMatchObject({ reservedCredits: 0, activeScrapes: 0 })
    })
  })

  describe('usage by month', () => {
    test.each([1, 2, 3])('equals the sum of the ledger in any time zone of the database (seed %i)', async (seed) => {
      await using store = await openStore()
      const random = createRandom(seed)
      const { team, key } = await makeTeam(store.db)
      const other = await makeTeam(store.db)
      const names = ['ci', 'ci', 'nightly', 'Ärger']
      const keys = await Promise.all(
        names.map(async (name) =>
          insertKey(store.db, { teamId: team.id, name, hash: uuidV7(), prefix: 'bl-1234', role: 'member' }),
        ),
      )
      const bills = Array.from({ length: 400 }, (): Bill => {
        const { id, name } = random.pick([...keys, key])
        return { apiKeyId: id, keyName: name, credits: random.whole(0, 500), createdAt: randomTime(random) }
      })
      const toRow = (teamId: string, { apiKeyId, credits, createdAt }: Bill) => {
        return { id: uuidV7(), teamId, apiKeyId, kind: 'test', subjectId: uuidV7(), credits, createdAt }
      }
      const foreign = bills.slice(0, 50)
      const rows = [...bills.map((bill) => toRow(team.id, bill)), ...foreign.map((bill) => toRow(other.team.id, bill))]
      await store.db.insertInto('ledger').values(rows).execute()

      await store.db.connection().execute(async (db) => {
        await sql`select set_config('TimeZone', ${random.pick(['Pacific/Kiritimati', 'America/Adak', 'UTC'])}, false)`.execute(
          db,
        )
        const months = await usageHistory({ db }, team.id, {})
        const byKey = await usageHistory({ db }, team.id, { byApiKey: 'true' })
        await sql`select set_config('TimeZone', 'UTC', false)`.execute(db)

        expect(Object.fromEntries(months.map(({ startDate, credits }) => [startDate.slice(0, 7), credits]))).toEqual(
          sum(bills, monthOf),
        )
        expect(
          Object.fromEntries(
            byKey.map(({ startDate, apiKey, credits }) => [`${startDate.slice(0, 7)} ${apiKey}`, credits]),
          ),
        ).toEqual(sum(bills, (bill) => `${monthOf(bill)} ${bill.keyName}`))
        const order = byKey.map(({ startDate, apiKey = '' }) => `${startDate} ${apiKey}`)
        expect(order).toEqual(order.toSorted())
      })
    })

    test('has an end date for past months and none for the current one', async () => {
      await using store = await openStore()
      const { team, key } = await makeTeam(store.db)
      const bill = (createdAt: string) => ({
        id: uuidV7(),
        teamId: team.id,
        apiKeyId: key.id,
        kind: 'test',
        subjectId: uuidV7(),
        credits: 7,
        createdAt: new Date(createdAt),
      })
      await store.db
        .insertInto('ledger')
        .values([bill('2028-02-29T23:59:59.999Z'), bill('2028-03-01T00:00:00.000Z')])
        .execute()
      const now = new Date('2028-03-05T12:00:00Z')

      expect(await usageHistory(store, team.id, {}, now)).toEqual([
        { startDate: '2028-02-01T00:00:00.000Z', endDate: '2028-02-29T23:59:59.999Z', apiKey: undefined, credits: 7 },
        { startDate: '2028-03-01T00:00:00.000Z', endDate: null, apiKey: undefined, credits: 7 },
      ])
      expect(await usageHistory(store, team.id, { period: 'day' }, now)).toMatchObject([
        { startDate: '2028-02-29T00:00:00.000Z', endDate: '2028-02-29T23:59:59.999Z' },
        { startDate: '2028-03-01T00:00:00.000Z', endDate: '2028-03-01T23:59:59.999Z' },
      ])
      expect(await usageHistory(store, team.id, { period: 'day' }, new Date('2028-03-31T12:00:00Z'))).toHaveLength(1)
      const byDay = async (firstDay?: string, lastDay?: string) => {
        const later = new Date('2029-01-01T12:00:00Z')
        const days = await usageHistory(store, team.id, { period: 'day', firstDay, lastDay }, later)
        return days.map(({ startDate }) => startDate.slice(0, 10))
      }
      expect(await byDay()).toEqual([])
      expect(await byDay('2028-02-29')).toEqual(['2028-02-29', '2028-03-01'])
      expect(await byDay('2028-02-29', '2028-02-29')).toEqual(['2028-02-29'])
      // The first day is summed up, the second is not.
      await rollUpLedger(store.db, new Date('2028-03-01T00:00:00Z'), 10)
      expect(await byDay('2028-02-29', '2028-03-01')).toEqual(['2028-02-29', '2028-03-01'])
      expect(await byDay('2028-02-29', '2028-02-29')).toEqual(['2028-02-29'])
      expect(await byDay('2028-03-01')).toEqual(['2028-03-01'])
    })
  })

  describe('a rate limit', () => {
    test('counts requests on all servers for a minute, per team and kind', async () => {
      await using store = await openStore()
      const [{ team }, { team: other }] = [await makeTeam(store.db), await makeTeam(store.db)]
      const servers = [createRateLimiter(store, { map: 3, search: 1 }), createRateLimiter(store, { map: 3, search: 1 })]
      const take = async (teamId: string, bucket: 'map' | 'search', teamRateLimits?: string) => {
        const outcomes = await Promise.allSettled(
          servers.flatMap((limit) => [1, 2].map(async () => limit({ teamId, teamRateLimits }, bucket))),
        )
        return outcomes.filter(({ status }) => status === 'fulfilled').length
      }

      expect(await take(team.id, 'map')).toBe(3)
      expect(await take(team.id, 'map')).toBe(0)
      expect(await take(team.id, 'search')).toBe(1)
      expect(await take(other.id, 'map')).toBe(3)
      expect(await take(team.id, 'map', 'map=9')).toBe(1)
      expect(await take(team.id, 'map', 'off')).toBe(4)
      await sql`update rate_window set started_at = started_at - interval '60 seconds'`.execute(store.db)
      expect(await take(team.id, 'map')).toBe(3)
    })
  })
})
