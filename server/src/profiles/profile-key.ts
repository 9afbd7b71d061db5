import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BowlineError } from 'bowline/kit/errors'
import { getOrCreateSetting } from '../store/settings.ts'
import { countVersionsByKey } from '../store/profiles.ts'
import type { Store, StoreLog } from '../store/store.ts'

/** What profiles are encrypted with. */
export interface ProfileKey {
  readonly bytes: Buffer
  /** Tells keys apart and nothing about them. Stands beside each saved version. */
  readonly id: string
}

/**
 * The key for profiles: the configured one of 64 hexadecimal digits; else one that is made once and kept: in the data
 * directory (mode 0600) beside an embedded store, in the database when that is a PostgreSQL, so that all servers on it
 * share the key with nothing to set. A kept key is never replaced while profiles need it: throws PROFILE_KEY_MISSING when it
 * is gone, CONFIG_INVALID when it is damaged. Warns when profiles were saved with another key than the configured one.
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
      log?.warn({ keyId: key.id, unreadable }, 'Saved versions of profiles were encrypted with another --profile-key')
    }
    return key
  }
  const isInDatabase = store.kind === 'postgres'
  const path = join(dataDir, 'profile-key')
  const where = isInDatabase ? 'the key kept in the database' : path
  const make = (): string => {
    if (total > 0) throw missing(total, `${where} does not exist`)
    return makeKey()
  }
  const hex = isInDatabase
    ? await getOrCreateSetting(store.db, 'profile-key', make)
    : (await readFile(path, 'utf8').catch(async () => keepNewKey(path, make()))).trim()
  const key = toKey(hex, where)
  if (total > 0 && !counts.has(key.id)) throw missing(total, `${where} is another one`)
  return key
}

function missing(count: number, what: string): BowlineError {
  return new BowlineError(
    'PROFILE_KEY_MISSING',
    `The key that encrypts ${count} saved ${count === 1 ? 'version' : 'versions'} of profiles is missing: ${what}`,
  )
}

function makeKey(): string {
  return randomBytes(32).toString('hex')
}

async function keepNewKey(path: string, key: string): Promise<string> {
  // `wx`: a key that is there but cannot be read must not be replaced, or every profile is lost.
  await writeFile(path, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true })
  return key
}

function toKey(hex: string, where: string): ProfileKey {
  if (!/^[0-9a-f]{64}$/i.test(hex)) {
    throw new BowlineError('CONFIG_INVALID', `There are not 64 hexadecimal digits in ${where}, which encrypts profiles`)
  }
  const bytes = Buffer.from(hex, 'hex')
  return { bytes, id: createHash('sha256').update('bowline profile key id').update(bytes).digest('hex').slice(0, 16) }
}
