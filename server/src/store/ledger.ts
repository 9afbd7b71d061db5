import type { Kysely, Selectable } from 'kysely'
import { toRecord, type Recorded } from './record.ts'
import type { Database } from './schema.ts'
import type { LedgerTable } from './tables/accounts.ts'

/** One bill. */
export type LedgerRow = Recorded<Selectable<LedgerTable>>

/** Which bills: of one team, from (inclusive) and until (exclusive) a time, at most `limit`. */
export interface LedgerFilter {
  readonly teamId: string
  readonly from?: Date | undefined
  readonly until?: Date | undefined
  /** Default 100. */
  readonly limit?: number | undefined
}

/** The bills of a team, newest first. */
export async function listLedger(db: Kysely<Database>, filter: LedgerFilter): Promise<readonly LedgerRow[]> {
  let query = db.selectFrom('ledger').selectAll().where('teamId', '=', filter.teamId)
  if (filter.from !== undefined) query = query.where('createdAt', '>=', filter.from)
  if (filter.until !== undefined) query = query.where('createdAt', '<', filter.until)
  const rows = await query
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(filter.limit ?? 100)
    .execute()
  return rows.map(toRecord)
}
