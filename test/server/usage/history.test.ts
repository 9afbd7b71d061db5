import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { uuidV7 } from '../../../src/kit/ids.ts'
import { insertKey } from '../../../src/server/store/keys.ts'
import { usageHistory } from '../../../src/server/usage/history.ts'
import { createRandom, type Random } from '../../lab/random.ts'
import { describeEachStore } from '../../lab/stores.ts'
import { makeTeam } from '../store/world.ts'

interface Bill {
  readonly apiKeyId: string
  readonly keyName: string
  readonly credits: number
  readonly createdAt: Date
}

/** A time of the last two years, often within a second of the first instant of a month. */
const randomTime = (random: Random): Date => {
  const month = Date.UTC(2024, random.whole(0, 23))
  return new Date(
    random.whole(0, 1) === 0 ? month + random.whole(-1000, 1000) : month + random.whole(0, 31 * 86_400_000),
  )
}

/** Sums what the bills say, the plain way. */
const sum = (bills: readonly Bill[], nameOf: (bill: Bill) => string): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = {}
  for (const bill of bills) sums[nameOf(bill)] = (sums[nameOf(bill)] ?? 0) + bill.credits
  return sums
}

const monthOf = ({ createdAt }: Bill): string => createdAt.toISOString().slice(0, 7)

describeEachStore('usage by month', (openStore) => {
  test.each([1, 2, 3])(
    'is what the ledger says, to the credit, whatever the zone of the database (seed %i)',
    async (seed) => {
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
    },
  )

  test('tells the last instant of a month that is over, and none of the running one', async () => {
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
  })
})
