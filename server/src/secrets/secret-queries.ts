import { sql, type Kysely, type Selectable } from 'kysely'
import { z } from 'zod'
import { jsonb, JsonTable, type JsonRow } from '../store/tables/json-table.ts'
import type { Database } from '../store/schema.ts'
import type { SecretTable } from '../store/tables/secrets.ts'

const columns = { origins: jsonb(z.array(z.string())) }
const secrets = new JsonTable('secret', columns, ['teamId', 'name'])

/** A secret of a team, with its encrypted value. */
export type SecretRow = JsonRow<Selectable<SecretTable>, typeof columns>

/** Identifies a secret. */
export type SecretKey = Pick<SecretRow, 'teamId' | 'name'>

/**
 * Inserts or replaces a secret. Returns `undefined` if the team already has `max` others.
 */
export async function putSecret(
  db: Kysely<Database>,
  row: Omit<SecretRow, 'createdAt' | 'updatedAt'>,
  max: number,
): Promise<SecretRow | undefined> {
  const { teamId, name, ...fields } = secrets.write(row)
  return db.transaction().execute(async (transaction) => {
    // Two requests at once must not both take the last place.
    await transaction.selectFrom('team').select('id').where('id', '=', teamId).forUpdate().execute()
    const { count } = await transaction
      .selectFrom('secret')
      .select(({ fn }) => fn.countAll<number | string>().as('count'))
      .where('teamId', '=', teamId)
      .where('name', '!=', name)
      .executeTakeFirstOrThrow()
    if (Number(count) >= max) return undefined
    const put = await transaction
      .insertInto('secret')
      .values({ teamId, name, ...fields })
      .onConflict((conflict) =>
        conflict.columns(['teamId', 'name']).doUpdateSet({ ...fields, updatedAt: sql<Date>`now()` }),
      )
      .returningAll()
      .executeTakeFirstOrThrow()
    return secrets.read(put)
  })
}

/** Lists the secrets of a team by name. */
export async function listSecrets(db: Kysely<Database>, teamId: string): Promise<readonly SecretRow[]> {
  const rows = await db.selectFrom('secret').selectAll().where('teamId', '=', teamId).orderBy('name').execute()
  return rows.map((row) => secrets.read(row))
}

/** Returns a secret, or `undefined`. */
export async function findSecret(db: Kysely<Database>, { teamId, name }: SecretKey): Promise<SecretRow | undefined> {
  const query = db.selectFrom('secret').selectAll().where('teamId', '=', teamId).where('name', '=', name)
  const row = await query.executeTakeFirst()
  return row && secrets.read(row)
}

/** Lists the secrets that were encrypted with these keys. */
export async function listSecretsOfKeys(
  db: Kysely<Database>,
  keyIds: readonly string[],
): Promise<readonly SecretRow[]> {
  if (keyIds.length === 0) return []
  const rows = await db.selectFrom('secret').selectAll().where('keyId', 'in', keyIds).execute()
  return rows.map((row) => secrets.read(row))
}

/** Counts secrets by the id of their encryption key. */
export async function countSecretsByKey(db: Kysely<Database>): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('secret')
    .select((eb) => ['keyId', eb.fn.countAll<number | string>().as('count')])
    .groupBy('keyId')
    .execute()
  return new Map(rows.map(({ keyId, count }) => [keyId, Number(count)]))
}

/** Replaces the encrypted value of a secret. Returns whether it still had its earlier value. */
export async function replaceValue(
  db: Kysely<Database>,
  { teamId, name, value: oldValue }: SecretRow,
  { value, keyId }: Pick<SecretRow, 'value' | 'keyId'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('secret')
    .set({ value, keyId })
    .where('teamId', '=', teamId)
    .where('name', '=', name)
    .where('value', '=', oldValue)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a secret. Returns whether the team had it. */
export async function removeSecret(db: Kysely<Database>, { teamId, name }: SecretKey): Promise<boolean> {
  const query = db.deleteFrom('secret').where('teamId', '=', teamId).where('name', '=', name)
  return (await query.executeTakeFirst()).numDeletedRows > 0n
}
