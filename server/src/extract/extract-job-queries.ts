import { sql, type Kysely, type Selectable } from 'kysely'
import { toRow, type Row } from '../store/tables/row.ts'
import type { Database } from '../store/schema.ts'
import type { ExtractJobTable } from '../store/tables/pages.ts'

/** An extract job. */
export type ExtractJobRow = Row<Selectable<ExtractJobTable>>

/** Inserts an extract job. */
export async function insertExtractJob(
  db: Kysely<Database>,
  job: Pick<ExtractJobRow, 'id' | 'teamId' | 'apiKeyId' | 'request'>,
): Promise<void> {
  await db.insertInto('extractJob').values(job).execute()
}

/** Returns the extract job with this id, or `undefined`. */
export async function findExtractJob(db: Kysely<Database>, id: string): Promise<ExtractJobRow | undefined> {
  const row = await db.selectFrom('extractJob').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toRow(row)
}

/** Result of an extract job: its answer as JSON and its price, or its error. */
export type ExtractEnd = { readonly answer: string; readonly credits: number } | { readonly error: string }

/** Ends an extract job. Returns `undefined` if it has already ended. */
export async function markExtractEnded(
  db: Kysely<Database>,
  id: string,
  end: ExtractEnd,
): Promise<ExtractJobRow | undefined> {
  const row = await db
    .updateTable('extractJob')
    .set({
      ...('error' in end ? { status: 'failed', credits: 0, error: end.error } : { status: 'completed', ...end }),
      finishedAt: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .where('status', '=', 'processing')
    .returningAll()
    .executeTakeFirst()
  return row && toRow(row)
}

/** Deletes extract jobs that ended before a time. */
export async function deleteOldExtractJobs(db: Kysely<Database>, before: Date): Promise<void> {
  await db
    .deleteFrom('extractJob')
    .where('createdAt', '<', before)
    .where('status', '<>', 'processing')
    .where((eb) => eb(eb.fn.coalesce('finishedAt', 'createdAt'), '<', before))
    .execute()
}
