import { sql, type Kysely, type Selectable } from 'kysely'
import type { Database } from '../store/schema.ts'
import type { ExtensionTable } from '../store/tables/extensions.ts'

/** A browser extension of a team. */
export type ExtensionRow = Readonly<Selectable<ExtensionTable>>

/** Outcome of `addExtension`: the ids of uploads that a crash has left behind. */
export type AddOutcome = { readonly isAdded: boolean; readonly abandoned: readonly string[] }

/** Time after which an upload without a blob counts as failed. */
const uploadMinutes = 60

/**
 * Inserts an extension before its blob is written, unless its team already has `max`. It is not
 * listed until `completeExtension`.
 */
export async function addExtension(
  db: Kysely<Database>,
  row: Omit<ExtensionRow, 'isStored' | 'createdAt'>,
  max: number,
): Promise<AddOutcome> {
  return db.transaction().execute(async (transaction) => {
    // Two uploads at once must not both take the last place.
    await transaction.selectFrom('team').select('id').where('id', '=', row.teamId).forUpdate().execute()
    const abandoned = await transaction
      .deleteFrom('extension')
      .where('teamId', '=', row.teamId)
      .where('isStored', '=', false)
      .where('createdAt', '<', sql<Date>`now() - make_interval(mins => ${uploadMinutes})`)
      .returning('id')
      .execute()
    const { count } = await transaction
      .selectFrom('extension')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('teamId', '=', row.teamId)
      .executeTakeFirstOrThrow()
    const isAdded = Number(count) < max
    if (isAdded) await transaction.insertInto('extension').values(row).execute()
    return { isAdded, abandoned: abandoned.map(({ id }) => id) }
  })
}

/** Marks the blob of an extension as written. Returns it. */
export async function completeExtension(db: Kysely<Database>, id: string): Promise<ExtensionRow | undefined> {
  return db.updateTable('extension').set({ isStored: true }).where('id', '=', id).returningAll().executeTakeFirst()
}

/** Lists the extensions of a team, newest first. With `ids`, only those. */
export async function listExtensions(
  db: Kysely<Database>,
  { teamId, ids }: { readonly teamId: string; readonly ids?: readonly string[] },
): Promise<readonly ExtensionRow[]> {
  let query = db.selectFrom('extension').selectAll().where('teamId', '=', teamId).where('isStored', '=', true)
  if (ids !== undefined) query = query.where('id', 'in', ids)
  return query.orderBy('createdAt', 'desc').orderBy('id', 'desc').execute()
}

/** Deletes an extension. Returns whether the team had it. */
export async function removeExtension(
  db: Kysely<Database>,
  { teamId, id }: { readonly teamId: string; readonly id: string },
): Promise<boolean> {
  const query = db.deleteFrom('extension').where('teamId', '=', teamId).where('id', '=', id)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}
