import { randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BowlineError } from 'bowline/kit/errors'
import { sha256 } from 'bowline/kit/sha256'
import { getOrCreateSetting } from '../store/settings.ts'
import { countVersionsByKey } from './profile-queries.ts'
import type { Store, StoreLog } from '../store/store.ts'

/** The key that encrypts profiles. */
export interface ProfileKey {
  readonly bytes: Buffer
  /** Identifies the key without revealing it. Stored with each saved version. */
  readonly id: string
}

/**
 * Returns the key for profiles: the configured one of 64 hexadecimal digits, else one that is
 * generated once and stored. It is stored in the data directory (mode 0600) with the embedded
 * store, or in the PostgreSQL database, so that all its servers share the key.
 * A stored key is never replaced while profiles need it: throws PROFILE_KEY_MISSING if it is gone,
 * CONFIG_INVALID if it is malformed. Warns if profiles were saved with a key other than the
 * configured one.
 */
export async function readProfileKey(options: {
  readonly configured: string | undefined
  readonly dataDir: string
  readonly store: Store
  readonly log?: StoreLog | undefined
}): Promise<ProfileKey> {
  const { configured, dataDir, store, log } = options
  const counts = await countVersionsByKey(store.db)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (configured !== undefined) {
    const key = toKey(configured, 'the configured key')
    const unreadable = total - (counts.get(key.id) ?? 0)
    if (unreadable > 0) {
      log?.warn(
        { keyId: key.id, unreadable },
        'some saved profile versions were encrypted with another --profile-key and cannot be restored',
      )
    }
    return key
  }
  const isInDatabase = store.kind === 'postgres'
  const path = join(dataDir, 'profile-key')
  const location = isInDatabase ? 'the key stored in the database' : path
  const create = (): string => {
    if (total > 0) throw missing(total, `${location} does not exist`)
    return createKey()
  }
  const hex = isInDatabase
    ? await getOrCreateSetting(store.db, 'profile-key', create)
    : (await readFile(path, 'utf8').catch(async () => storeNewKey(path, create()))).trim()
  const key = toKey(hex, location)
  if (total > 0 && !counts.has(key.id)) throw missing(total, `${location} is a different key`)
  return key
}

function missing(count: number, problem: string): BowlineError {
  return new BowlineError(
    'PROFILE_KEY_MISSING',
    `The key that encrypts ${count} saved ${count === 1 ? 'version' : 'versions'} of profiles is missing: ${problem}`,
  )
}

function createKey(): string {
  return randomBytes(32).toString('hex')
}

async function storeNewKey(path: string, key: string): Promise<string> {
  // `wx`: an existing key that cannot be read must not be replaced, or every profile is lost.
  await writeFile(path, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true })
  return key
}

function toKey(hex: string, location: string): ProfileKey {
  if (!/^[0-9a-f]{64}$/i.test(hex)) {
    throw new BowlineError('CONFIG_INVALID', `The profile key must have 64 hexadecimal digits: ${location} does not`)
  }
  const bytes = Buffer.from(hex, 'hex')
  return { bytes, id: sha256('bowline profile key id', bytes).toString('hex').slice(0, 16) }
}
