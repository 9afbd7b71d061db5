import type { Kysely } from 'kysely'
import type { ServerConfig } from '../config.ts'
import { describeCounts, neededKeyIds, unreadableWith } from '../profiles/encrypted-data.ts'
import { findStoredKey, profileKeyId } from '../profiles/profile-key.ts'
import { countVersionsByKey } from '../profiles/profile-queries.ts'
import { countSecretsByKey } from '../secrets/secret-queries.ts'
import type { Database } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import type { Finding } from './finding.ts'

/** Checks that the profile key and the earlier keys open the stored profiles and secrets. */
export async function checkEncryptedData(
  { profileKey, previousProfileKeys, dataDir }: Pick<ServerConfig, 'profileKey' | 'previousProfileKeys' | 'dataDir'>,
  kind: Store['kind'],
  db: Kysely<Database>,
): Promise<Finding> {
  const what = 'encrypted data'
  const data = { versions: await countVersionsByKey(db), secrets: await countSecretsByKey(db) }
  const all = describeCounts(data)
  if (all === undefined) return { what, state: 'good', detail: 'no profiles and secrets are stored' }
  const stored = await findStoredKey({ kind, db }, dataDir)
  const ids = [
    ...(profileKey === undefined ? [] : [profileKeyId(profileKey)]),
    ...(stored === undefined ? [] : [stored.id]),
    ...previousProfileKeys.map(profileKeyId),
  ]
  const [id = 'none', ...previous] = ids
  const keys = { id, previous: previous.map((each) => ({ id: each })) }
  const unreadable = describeCounts(unreadableWith(keys, data))
  if (unreadable === undefined) return { what, state: 'good', detail: `the key opens ${all}` }
  const needed = neededKeyIds(keys, data).join(', ')
  const detail = `no key opens ${unreadable}: pass the key with the id ${needed} as --profile-key or --previous-profile-keys, or restore it from a backup. The id of the current key is ${id}`
  return { what, state: 'bad', detail }
}
