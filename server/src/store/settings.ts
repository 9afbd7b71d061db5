import type { Kysely } from 'kysely'
import type { Database } from './schema.ts'

/**
 * Returns the setting `key`, or creates it with `make`. All servers of a database get the same
 * value.
 */
export async function getOrCreateSetting(db: Kysely<Database>, key: string, make: () => string): Promise<string> {
  const found = await findSetting(db, key)
  if (found !== undefined) return found
  await db
    .insertInto('setting')
    .values({ key, value: make() })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const query = db.selectFrom('setting').select('value').where('key', '=', key)
  return (await query.executeTakeFirstOrThrow()).value
}

/** Returns the setting `key`, or `undefined`. */
export async function findSetting(db: Kysely<Database>, key: string): Promise<string | undefined> {
  return (await db.selectFrom('setting').select('value').where('key', '=', key).executeTakeFirst())?.value
}
