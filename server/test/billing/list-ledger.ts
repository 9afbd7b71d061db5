import type { Kysely, Selectable } from 'kysely'
import type { Database } from '../../src/store/schema.ts'
import type { LedgerTable } from '../../src/store/tables/accounts.ts'
import { toRow, type Row } from '../../src/store/tables/row.ts'

/** Lists the charges of a team that are not summed up yet, newest first. */
export async function listLedger(
  db: Kysely<Database>,
  { teamId }: { readonly teamId: string },
): Promise<readonly Row<Selectable<LedgerTable>>[]> {
  const charges = db.selectFrom('ledger').selectAll().where('teamId', '=', teamId)
  return (await charges.orderBy('createdAt', 'desc').orderBy('id', 'desc').execute()).map(toRow)
}
