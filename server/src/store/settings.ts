import type { Kysely } from 'kysely'
import type { Database } from './schema.ts'

/**
 * Returns the setting `key`, or creates it with `make`. All servers of a database get the same
 * value.
 */
export async function getOrCreateSetting(db: Kysely<Database>, key: string, make: () => string): Promise<string> {
  const find = () => db.selectFrom('setting').select('value').where('key', '=', key)
  const found = await find().executeTakeFirst()
  if (found !== undefined) return found.value
  await db
    .insertInto('setting')
    .values({ key, value: make() })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  return (await find().executeTakeFirstOrThrow()).value
}
