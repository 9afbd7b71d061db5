import type { Kysely, Selectable } from 'kysely'
import { toRow, type Row } from './row.ts'
import type { Database } from './schema.ts'
import type { LedgerTable } from './tables/accounts.ts'

/** A bill. */
export type LedgerRow = Row<Selectable<LedgerTable>>

/** Selects the bills of a team between `from` (inclusive) and `until` (exclusive). */
export interface LedgerFilter {
  readonly teamId: string
  readonly from?: Date | undefined
  readonly until?: Date | undefined
  /** Default 100. */
  readonly limit?: number | undefined
}

/** Lists the bills of a team, newest first. */
export async function listLedger(db: Kysely<Database>, filter: LedgerFilter): Promise<readonly LedgerRow[]> {
  let query = db.selectFrom('ledger').selectAll().where('teamId', '=', filter.teamId)
  if (filter.from !== undefined) query = query.where('createdAt', '>=', filter.from)
  if (filter.until !== undefined) query = query.where('createdAt', '<', filter.until)
  const rows = await query
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit ?? 100)
    .execute()
  return rows.map(toRow)
}
