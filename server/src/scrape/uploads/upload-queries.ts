import { sql, type Kysely, type Selectable } from 'kysely'
import type { Database } from '../../store/schema.ts'
import type { ParseUploadTable } from '../../store/tables/parse-uploads.ts'

/** A file that a client uploads before it parses it. */
export type UploadRow = Readonly<Selectable<ParseUploadTable>>

/** A change of the state of a file. */
export interface UploadChange {
  readonly from: UploadRow['state']
  readonly to: UploadRow['state']
}

/** Inserts a file, unless its team already has `max` that it has not parsed. */
export async function addUpload(
  db: Kysely<Database>,
  row: Omit<UploadRow, 'state' | 'createdAt'>,
  max: number,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    // Two uploads at once must not both take the last place.
    await transaction.selectFrom('team').select('id').where('id', '=', row.teamId).forUpdate().execute()
    const { count } = await transaction
      .selectFrom('parseUpload')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('teamId', '=', row.teamId)
      .executeTakeFirstOrThrow()
    const isAdded = Number(count) < max
    if (isAdded) await transaction.insertInto('parseUpload').values(row).execute()
    return isAdded
  })
}

/** Deletes the files of all teams that were not parsed within 24 hours. Returns their ids. */
export async function deleteOldUploads(db: Kysely<Database>): Promise<readonly string[]> {
  const query = db.deleteFrom('parseUpload').where('createdAt', '<', sql<Date>`now() - interval '24 hours'`)
  return (await query.returning('id').execute()).map(({ id }) => id)
}

/** Finds a file. */
export async function findUpload(db: Kysely<Database>, id: string): Promise<UploadRow | undefined> {
  return db.selectFrom('parseUpload').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Changes the state of a file. Returns whether it had the expected one. */
export async function moveUpload(db: Kysely<Database>, id: string, { from, to }: UploadChange): Promise<boolean> {
  const query = db.updateTable('parseUpload').set({ state: to }).where('id', '=', id).where('state', '=', from)
  return (await query.executeTakeFirst()).numUpdatedRows > 0n
}

/** Deletes a file. */
export async function deleteUpload(db: Kysely<Database>, id: string): Promise<void> {
  await db.deleteFrom('parseUpload').where('id', '=', id).execute()
}
