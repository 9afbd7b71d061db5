import { sql, type Kysely } from 'kysely'
import { uuidV7 } from 'bowline/kit/ids'
import type { Database } from './schema.ts'
import { toInsertable, type StoredScrape, type ScrapeBill } from './scrapes.ts'

/** A scrape of a team that had no limits when the scrape started. */
export interface ScrapeWithoutHold {
  readonly bill: ScrapeBill
  /** Row to store. `undefined`: the page is not stored. */
  readonly row: StoredScrape | undefined
  /** Generated before the write, so that a retry cannot bill twice. */
  readonly ledgerId: string
}

/** Creates the entry of a scrape for `recordWithoutHold`. */
export function toScrapeWithoutHold(bill: ScrapeBill, row: StoredScrape | undefined): ScrapeWithoutHold {
  return {
    bill,
    row,
    ledgerId: uuidV7(),
  }
}

/** Inserts scrapes and their bills in one statement, all or none. Debits teams even below zero. */
export async function recordWithoutHold(db: Kysely<Database>, scrapes: readonly ScrapeWithoutHold[]): Promise<void> {
  const createdAt = new Date()
  const bills = scrapes.map(({ bill: { id, teamId, apiKeyId, credits }, ledgerId }) => ({
    id: ledgerId,
    teamId,
    apiKeyId,
    kind: 'scrape',
    subjectId: id,
    credits,
    createdAt,
  }))
  const kept = scrapes.flatMap(({ bill: { id, teamId }, row }) =>
    row === undefined ? [] : [{ ...toInsertable(row), id, teamId, createdAt }],
  )
  const billing = db.with('billed', (query) =>
    query.insertInto('ledger').values(bills).returning(['teamId', 'credits']),
  )
  const debiting = billing.with('debited', (query) =>
    query
      .updateTable('team')
      .from((from) =>
        from
          .selectFrom('billed')
          .select((select) => ['teamId', select.fn.sum<number>('credits').as('due')])
          .groupBy('teamId')
          .as('owed'),
      )
      .set({ credits: sql<number>`team.credits - owed.due` })
      .whereRef('team.id', '=', 'owed.teamId')
      // Avoids a pointless update of the same row for every scrape of an unmetered team.
      .where('team.credits', 'is not', null)
      .returning('team.id'),
  )
  const keeping =
    kept.length === 0
      ? debiting
      : debiting.with('kept', (query) => query.insertInto('scrape').values(kept).returning('id'))
  await keeping.selectFrom('billed').select('teamId').limit(1).execute()
}
