import { sql, type Kysely } from 'kysely'
import { uuidV7 } from 'bowline/kit/ids'
import type { Database } from './schema.ts'
import { toInsertable, type StoredScrape, type ScrapeBill } from './scrapes.ts'

/** A scrape of a team that had no limits when it began. */
export interface UnmeteredScrape {
  readonly bill: ScrapeBill
  /** Undefined: nothing is kept of the page. */
  readonly row: StoredScrape | undefined
  /** Chosen before it is written, so that a second try cannot bill twice. */
  readonly ledgerId: string
}

/** Makes an entry of one scrape. */
export function toUnmetered(bill: ScrapeBill, row: StoredScrape | undefined): UnmeteredScrape {
  return {
    bill,
    row,
    ledgerId: uuidV7(),
  }
}

/** Writes scrapes and their bills in one statement: all of them or none. Takes the credits, however few there are. */
export async function recordUnmetered(db: Kysely<Database>, scrapes: readonly UnmeteredScrape[]): Promise<void> {
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
      // Null stays null; without this every scrape of an unmetered team would rewrite the same row.
      .where('team.credits', 'is not', null)
      .returning('team.id'),
  )
  const keeping =
    kept.length === 0
      ? debiting
      : debiting.with('kept', (query) => query.insertInto('scrape').values(kept).returning('id'))
  await keeping.selectFrom('billed').select('teamId').limit(1).execute()
}
